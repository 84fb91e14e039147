"""TOML read key by key: each wrong value is noted with its line, and reading goes on."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.errors import did_you_mean
from tournaments.file.toml_lines import Where, key_lines

Default = TypeVar("Default")
Word = TypeVar("Word", bound=str)

LONGEST_SHOWN = 60
_MOST_DIGITS = 4300
_HINTS = {
    "Invalid value": 'Text stands in quotes, as in name = "Spring league"; a list in [ ].',
    "Expected '='": "Each line is a key, an equals sign and a value, or a [table].",
    "Expected newline": "Only a comment may follow a value in its line.",
    "Invalid statement": "Each line is a key, an equals sign and a value, or a [table].",
    "Cannot overwrite": "Each key stands only once.",
    "Cannot mutate": "Each key stands only once.",
    "Cannot declare": (
        "Each table stands only once; games stand in [[games]], entrants in [[entrants]]."
    ),
    "Unterminated string": "Is there a quotation mark at its end?",
    "Unescaped": "Write a backslash twice, or the text in 'single quotes'.",
    "Illegal character": "Is there a quotation mark at the end of the text?",
}


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Something wrong in a text, and in which line."""

    line: int
    sentence: str


class Table:
    """A table of a TOML text.

    Whoever reads it asks for each key by the type it must have, and gets the default where the key
    is missing or wrong; ``problems``, which all tables of a text share, says what was wrong.
    """

    def __init__(
        self,
        values: Mapping[str, object],
        lines: Mapping[Where, int],
        problems: list[Problem],
        where: Where = (),
    ) -> None:
        self._values = values
        self._lines = lines
        self._where = where
        self.problems = problems

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __getitem__(self, key: str) -> object:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def get(self, key: str, default: object) -> object:
        """Return a value as it is."""
        return self._values.get(key, default)

    def line(self, *where: str | int) -> int:
        """Return the line of something in this table, or of what it would stand in."""
        at = (*self._where, *where)
        while at not in self._lines:
            at = at[:-1]
        return self._lines[at]

    def header(self, *inner: str) -> str:
        """Return how the header of this table is written, or of a table in it."""
        return f"[{'.'.join(part for part in (*self._where, *inner) if isinstance(part, str))}]"

    def complain(self, sentence: str, *where: str | int) -> None:
        """Note that something in this table, or the table itself, is wrong."""
        self.problems.append(Problem(self.line(*where), sentence))

    def must_be(self, key: str, what: str) -> None:
        """Note that a value is not what it must be."""
        self.complain(f"{key} is {shown(self[key])}, but must be {what}.", key)

    def text(self, key: str, default: Default, most: int = 1000) -> str | Default:
        """Return a line of printable text without spaces around it."""
        if key not in self:
            return default
        value = self[key]
        if not isinstance(value, str):
            self.must_be(key, "text in quotes")
        elif not value or len(value) > most:
            self.complain(f"{key} has {len(value)} characters, but must have 1 to {most}.", key)
        elif not value.isprintable() or value != value.strip():
            self.must_be(key, "one line of text without spaces around it")
        else:
            return value
        return default

    def choice(self, key: str, words: Sequence[Word], default: Default) -> Word | Default:
        """Return one of several words."""
        if key not in self:
            return default
        value = self[key]
        for word in words:
            if value == word:
                return word
        nearest = did_you_mean(shortened(value), words) if isinstance(value, str) else ""
        sentence = f"{key} is {shown(value)}, but must be {either(map(quoted, words))}.{nearest}"
        self.complain(sentence, key)
        return default

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.get(key, default)
        if isinstance(value, bool):
            return value
        self.must_be(key, "true or false, without quotes")
        return default

    def whole(self, key: str, default: Default, low: int, high: int) -> int | Default:
        """Return a whole number within bounds."""
        if key not in self:
            return default
        value = self[key]
        if type(value) is int and low <= value <= high:
            return value
        self.must_be(key, f"a whole number from {low} to {high}")
        return default

    def seconds(self, key: str, default: float, low: float, high: float) -> float:
        """Return a number of seconds within bounds."""
        value = self.get(key, default)
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        self.must_be(key, f"a number of seconds from {low:.15g} to {high:.15g}")
        return default

    def values(self, key: str) -> Sequence[object]:
        """Return a list of at least one value; an empty one where there is none."""
        if key not in self:
            return ()
        value = self[key]
        if isinstance(value, list) and value:
            return value
        if isinstance(value, list | dict):
            self.must_be(key, "a list with at least one value")
        else:
            self.must_be(key, f"a list, as in {key} = [{shown(value)}]")
        return ()

    def table(self, key: str, hint: str | None = None) -> Table:
        """Return a table; an empty one where there is none."""
        value = self.get(key, {})
        if not isinstance(value, dict):
            self.must_be(key, f"a table: {hint or f'[{key}]'}")
            value = {}
        return Table(value, self._lines, self.problems, (*self._where, key))

    def tables(self, key: str) -> list[Table]:
        """Return an array of tables, which may be empty."""
        value = self.get(key, [])
        if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
            self.must_be(key, f"tables, each under [[{key}]] in double brackets")
            value = []
        return [
            Table(part, self._lines, self.problems, (*self._where, key, number))
            for number, part in enumerate(value)
        ]


def read_toml(text: str) -> Table:
    """Read a text; one that is no TOML gives an empty table, and a problem that says why."""
    text = text.removeprefix("\ufeff")
    try:
        return Table(tomllib.loads(text), key_lines(text), [])
    except tomllib.TOMLDecodeError as error:
        problem = _syntax_problem(text, str(error))
    except RecursionError:
        lines = text.split("\n")
        deepest = max(range(len(lines)), key=lambda n: lines[n].count("[") + lines[n].count("{"))
        problem = Problem(deepest + 1, "lists or tables are nested too deeply.")
    except ValueError:
        # The one other thing that the parser cannot read.
        found = re.search(rf"[0-9_]{{{_MOST_DIGITS + 1},}}", text)
        line = text.count("\n", 0, found.start()) + 1 if found else 1
        problem = Problem(line, "a number has too many digits.")
    return Table({}, {(): 1}, [problem])


def _syntax_problem(text: str, message: str) -> Problem:
    found = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    reason = re.sub(r" \(at [^()]*\)$", "", message)
    hint = next((words for start, words in _HINTS.items() if reason.startswith(start)), "")
    line, place = text.rstrip().count("\n") + 1, "at the end"
    if found:
        line, place = int(found[1]), f"at column {found[2]}"
    sentence = f"this is no TOML: {reason[0].lower()}{reason[1:]} {place}. {hint}"
    return Problem(line, sentence.strip())


def unknown_key(key: str, known: Sequence[str], place: str) -> str:
    """Say that there is no such key, which one may be meant, and which there are."""
    keys = f"The keys are {', '.join(known)}." if known else "It has no keys."
    return f"there is no key {quoted(key)} {place}.{did_you_mean(shortened(key), known)} {keys}"


def shown(value: object) -> str:
    """Show a value of a TOML text, short and on one line."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else "a very large number"
    if isinstance(value, float):
        return "nan" if math.isnan(value) else f"{value:.15g}"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return "a table" if isinstance(value, dict) else "a date or time"


def shortened(text: str) -> str:
    """Cut off what is too long to show."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def quoted(text: str) -> str:
    """Show text in quotes, short, with escapes for what cannot be printed."""
    whole = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in shortened(text)
    )
    return f'"{whole}"'


def either(words: Iterable[object]) -> str:
    """Join words with commas and "or"."""
    *most, last = map(str, words)
    return f"{', '.join(most)} or {last}" if most else last
