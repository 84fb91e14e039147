"""The line of every key, table and array element of a TOML text.

``tomllib`` returns the values of a text without their positions. This scanner finds the positions
in a text that ``tomllib`` has accepted, and therefore checks nothing.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from itertools import count

Location = tuple[str | int, ...]
"""The path to a value: the names of keys, and the indices of array elements."""

_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*'""")
_SCALAR = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}'''
    r"""|'''.*?'{3,5}"""
    r'''|"(?:\\.|[^"\\])*"'''
    r"""|'[^']*'"""
    r"""|[^,\]}#\n]+""",
    re.DOTALL,
)


def key_lines(text: str) -> dict[Location, int]:
    """Return the line, from 1, of every value in a text that ``tomllib`` can read."""
    scanner = _Scanner(text.replace("\r\n", "\n"))
    scanner.document()
    return scanner.lines


class _Scanner:
    """Reads a text once, from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Location, int] = {(): 1}
        self.breaks = [found.start() for found in re.finditer("\n", text)]
        self.newest: dict[Location, int] = {}
        """The number of the last table in each array of tables."""

    def document(self) -> None:
        table: Location = ()
        while self.skip(_BLANK):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)

    def header(self) -> Location:
        line = self.line()
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        *outer, last = self.keys()
        self.at += brackets
        where: Location = ()
        for name in outer:
            where = self.inside((*where, name), line)
        where = (*where, last)
        if brackets == 1:
            self.lines[where] = line
            return where
        self.newest[where] = self.newest.get(where, -1) + 1
        return self.inside(where, line)

    def inside(self, where: Location, line: int) -> Location:
        """Return the table that a name in a header means: of an array of tables, the last one."""
        self.lines.setdefault(where, line)
        if where in self.newest:
            where = (*where, self.newest[where])
            self.lines.setdefault(where, line)
        return where

    def pair(self, table: Location) -> None:
        line = self.line()
        where = table
        for name in self.keys():
            where = (*where, name)
            self.lines.setdefault(where, line)
        self.at += 1
        self.skip(_SPACE)
        self.value(where)

    def keys(self) -> list[str]:
        """Read a key with its dots, and the spaces around it."""
        names = [self.key()]
        while self.text[self.at] == ".":
            self.at += 1
            names.append(self.key())
        return names

    def key(self) -> str:
        self.skip(_SPACE)
        written = self.take(_KEY)
        self.skip(_SPACE)
        if written[0] not in "\"'":
            return written
        name: str = tomllib.loads(f"key = {written}")["key"]
        return name

    def value(self, where: Location) -> None:
        if self.text[self.at] == "[":
            self.array(where)
        elif self.text[self.at] == "{":
            self.inline_table(where)
        else:
            self.take(_SCALAR)

    def array(self, where: Location) -> None:
        self.at += 1
        for number in count():
            self.skip(_BLANK)
            if self.text[self.at] == "]":
                break
            self.lines[*where, number] = self.line()
            self.value((*where, number))
            self.skip_comma()
        self.at += 1

    def inline_table(self, where: Location) -> None:
        self.at += 1
        while self.skip(_BLANK) and self.text[self.at] != "}":
            self.pair(where)
            self.skip_comma()
        self.at += 1

    def skip_comma(self) -> None:
        self.skip(_BLANK)
        if self.text[self.at] == ",":
            self.at += 1

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Skip a match of the pattern; return whether any text follows."""
        self.take(pattern)
        return self.at < len(self.text)

    def take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        assert found is not None  # noqa: S101  the text is valid
        self.at = found.end()
        return found.group()

    def line(self) -> int:
        return bisect_left(self.breaks, self.at) + 1
