"""The text of a TOML file as values, with the line of every mistake found in it."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine import UsageError, did_you_mean
from tournaments.config.toml_lines import Location, key_lines

LONGEST_SHOWN = 60
MOST_PROBLEMS = 10
_MOST_DIGITS = 4300
_HINTS = {
    "Invalid value": 'Text stands in quotes, as in name = "Spring tournament"; a list in [ ].',
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
    """A mistake in a file."""

    line: int
    sentence: str


class SettingsFileError(UsageError):
    """A tournament or league file that cannot be used, with all mistakes in it."""

    def __init__(self, source: str, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        lines = [f"{source}:{problem.line}: {problem.sentence}" for problem in self.problems]
        if len(lines) > MOST_PROBLEMS:
            lines[MOST_PROBLEMS:] = [f"{source}: and {len(lines) - MOST_PROBLEMS} more."]
        super().__init__("\n".join(lines))


class TomlFile:
    """The values of a file, and the problems reported so far. Messages call it ``source``."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        text = text.removeprefix("\ufeff")
        try:
            self.values: Mapping[str, Any] = tomllib.loads(text)
            self._lines = key_lines(text)
        except tomllib.TOMLDecodeError as error:
            self.problems.append(_syntax_problem(text, str(error)))
        except RecursionError:
            rows = text.split("\n")
            deepest = max(range(len(rows)), key=lambda n: rows[n].count("[") + rows[n].count("{"))
            self.problems.append(Problem(deepest + 1, "lists or tables are nested too deeply."))
        except ValueError:  # the only other error of the parser
            found = re.search(rf"[0-9_]{{{_MOST_DIGITS + 1},}}", text)
            line = text.count("\n", 0, found.start()) + 1 if found else 1
            self.problems.append(Problem(line, "a number has too many digits."))
        self.raise_problems()

    def table(self, at: Location) -> Mapping[str, Any]:
        """Return the table at a location as it is written."""
        value: Any = self.values
        for part in at:
            value = value[part]
        table: Mapping[str, Any] = value
        return table

    def line(self, at: Location) -> int:
        """Return the line of a value, or of the table that lacks it."""
        while at not in self._lines:
            at = at[:-1]
        return self._lines[at]

    def report(self, sentence: str, *at: str | int) -> None:
        """Add a problem with the value at a location."""
        self.problems.append(Problem(self.line(at), sentence))

    def raise_problems(self) -> None:
        """Raise SettingsFileError if any problem was reported."""
        if self.problems:
            raise SettingsFileError(self.source, self.problems)


def _syntax_problem(text: str, message: str) -> Problem:
    found = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    reason = re.sub(r" \(at [^()]*\)$", "", message)
    hint = next((words for start, words in _HINTS.items() if reason.startswith(start)), "")
    line, place = text.rstrip().count("\n") + 1, "at the end"
    if found:
        line, place = int(found[1]), f"at column {found[2]}"
    sentence = f"this is no TOML: {reason[0].lower()}{reason[1:]} {place}. {hint}"
    return Problem(line, sentence.strip())


# Values in messages -----------------------------------------------------------------------------


def unknown_key(key: str, known: Sequence[str], place: str) -> str:
    """Return a sentence that names the nearest key and all keys of the table."""
    keys = f"The keys are {', '.join(known)}." if known else "It has no keys."
    return f"there is no key {quoted(key)} {place}.{did_you_mean(shortened(key), known)} {keys}"


def header(at: Location) -> str:
    """Return the header of the table at a location."""
    return f"[{'.'.join(part for part in at if isinstance(part, str))}]"


def shown(value: object) -> str:
    """Return a value of a TOML file as text, short and on one line."""
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
    """Return the beginning of a text."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def quoted(text: str) -> str:
    """Return text in quotes, shortened, with escapes for characters that cannot be printed."""
    printable = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in shortened(text)
    )
    return f'"{printable}"'


def either(words: Iterable[object]) -> str:
    """Join words with commas and "or"."""
    *most, last = map(str, words)
    return f"{', '.join(most)} or {last}" if most else last
