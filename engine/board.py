"""The square of cards and the ring of stops around it.

Glastonbury and Kupferkessel Co. are both played on a square of 6 by 6 cells without its corners,
with pawns that walk around the outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Final, NewType

Cell = NewType("Cell", int)
"""A place on the board, row by row: 0 is a1, 5 is f1, 35 is f6."""

Stop = NewType("Stop", int)
"""A place on the ring, clockwise from the top left corner: 0 to 19."""

SIZE: Final = 6
STOPS: Final = 20

CELL_NAMES: Final = tuple(f"{column}{row}" for row in "123456" for column in "abcdef")
CELLS_BY_NAME: Final[Mapping[str, Cell]] = MappingProxyType(
    {name: Cell(i) for i, name in enumerate(CELL_NAMES)},
)
CORNER_CELLS: Final = tuple(CELLS_BY_NAME[name] for name in ("a1", "f1", "a6", "f6"))
DEALT_CELLS: Final = tuple(cell for cell in CELLS_BY_NAME.values() if cell not in CORNER_CELLS)

CORNER_STOPS: Final = tuple(Stop(stop) for stop in (0, 5, 10, 15))
AT_CORNER: Final = tuple(stop in CORNER_STOPS for stop in range(STOPS))
AHEAD: Final = tuple(
    tuple(Stop((stop + steps) % STOPS) for steps in range(5)) for stop in range(STOPS)
)
"""``AHEAD[stop][steps]`` is the stop that many steps further clockwise."""

Line = tuple[Cell, ...]


def _line(letters: str, digits: str) -> Line:
    return tuple(CELLS_BY_NAME[letter + digit] for digit in digits for letter in letters)


COLUMNS: Final = tuple(_line(letter, "123456") for letter in "bcde")
ROWS: Final = tuple(_line("abcdef", digit) for digit in "2345")
LINES: Final = COLUMNS + ROWS

_NO_LINE: Final[tuple[Line, ...]] = ((),)
LINE_AT: Final[tuple[Line, ...]] = (
    *(_NO_LINE + COLUMNS),
    *(_NO_LINE + ROWS),
    *(_NO_LINE + COLUMNS[::-1]),
    *(_NO_LINE + ROWS[::-1]),
)
"""The line that a stop faces; nothing at a corner."""

LINES_THROUGH: Final = tuple(
    tuple(line for line in LINES if cell in line) for cell in range(SIZE * SIZE)
)
CARDS_OF_LINES_THROUGH: Final = tuple(
    tuple(itemgetter(*line) for line in lines) for lines in LINES_THROUGH
)
"""For each cell what returns the cards of a line through it, given a board; one for each line."""

_WIDTH: Final = 8
"""How much room a cell has in a drawing."""


def line_name(line: Line) -> str:
    """Name a line as a person would: column c, row 3."""
    first, second = CELL_NAMES[line[0]], CELL_NAMES[line[1]]
    return f"column {first[0]}" if first[0] == second[0] else f"row {first[1]}"


def draw_square(cells: Sequence[str], pawns: Sequence[tuple[str, Stop]]) -> list[str]:
    """Draw the square with the ring around it: each stop with its number and its pawns.

    ``cells`` are the texts of all 36 cells, those of the corners too; ``pawns`` are letters with
    the stops at which they stand.
    """
    margin = " " * (_WIDTH + 1)
    stops = [_stop_text(stop, pawns) for stop in range(STOPS)]
    lines = [margin + "".join(map(_fit, stops[:SIZE])), margin + "".join(map(_fit, "abcdef"))]
    for row in range(SIZE):
        inner = 0 < row < SIZE - 1
        left = stops[STOPS - row] if inner else ""
        right = stops[SIZE - 1 + row] if inner else ""
        middle = "".join(map(_fit, cells[SIZE * row : SIZE * (row + 1)]))
        lines.append(f"{left:>{_WIDTH - 3}} {row + 1}  {middle}{row + 1} {right}")
    lines.append(margin + "".join(map(_fit, stops[15:9:-1])))
    return lines


def _stop_text(stop: int, pawns: Sequence[tuple[str, Stop]]) -> str:
    standing = "".join(letter for letter, at in pawns if at == stop)
    return f"{stop}:{standing}" if standing else str(stop)


def _fit(text: str) -> str:
    return f"{text[: _WIDTH - 1]:<{_WIDTH}}"
