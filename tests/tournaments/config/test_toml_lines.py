"""Lines of keys: by hand, and against numbers that each stand in a text only once."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.config.toml_lines import Location, key_lines

BY_HAND = '''\
# a = 1
top = "x # no comment" # [table]

"quoted \\" [key]" = """
[no.table]
no_key = 1
""" # after five lines
'literal' = \'\'\'
[[no.array]]
it's = "fine"\'\'\'
list = [ # a comment ] }
  1, "]", # ,
  [2,
   3],
  { a = 1, "b.c".d = [ 4 ] },
]
a.b.c = 5
a . "b" . d = 6

[ table ]
when = 1979-05-27 07:32:00 # a date with a space in it
[[array]]
x = ""
[array.inner]
y = \'\'
[[array.deep]]
z = 1
[[array.deep]]
z = 2

[[ array ]]
x = """"two quotes""\\""""
  indented = true
[table.later]
'''


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ((), 1),
        (("top",), 2),
        (('quoted " [key]',), 4),
        (("literal",), 8),
        (("list",), 11),
        (("list", 0), 12),
        (("list", 1), 12),
        (("list", 2), 13),
        (("list", 2, 0), 13),
        (("list", 2, 1), 14),
        (("list", 3), 15),
        (("list", 3, "a"), 15),
        (("list", 3, "b.c", "d", 0), 15),
        (("a",), 17),
        (("a", "b", "c"), 17),
        (("a", "b", "d"), 18),
        (("table",), 20),
        (("table", "when"), 21),
        (("array",), 22),
        (("array", 0), 22),
        (("array", 0, "x"), 23),
        (("array", 0, "inner"), 24),
        (("array", 0, "inner", "y"), 25),
        (("array", 0, "deep", 0), 26),
        (("array", 0, "deep", 0, "z"), 27),
        (("array", 0, "deep", 1), 28),
        (("array", 0, "deep", 1, "z"), 29),
        (("array", 1), 31),
        (("array", 1, "x"), 32),
        (("array", 1, "indented"), 33),
        (("table", "later"), 34),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["unix", "windows"])
def test_lines_by_hand(where: Location, line: int, newline: str) -> None:
    text = BY_HAND.replace("\n", newline)
    tomllib.loads(text)
    assert key_lines(text)[where] == line


def test_a_table_stands_at_its_own_header() -> None:
    lines = key_lines("[a.b]\nx = 1\n[a]\ny = 2\n")
    assert lines[("a",)] == 3
    assert lines["a", "b"] == 1


def test_an_empty_text_has_no_keys() -> None:
    assert key_lines("") == key_lines("# nothing\n\n") == {(): 1}


def leaves(value: object, where: Location = ()) -> Iterator[tuple[Location, object]]:
    """Return every value that is no list or table, with the way to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*where, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*where, number))
    else:
        yield where, value


DECOYS = [
    "",
    "# x = 99999",
    "#[[a]]",
    '"{mark} = [" = true',
    "'{mark} ] # ' = 'a \" b'",
    'k{mark} = """\n[t]\n# "" \\""" x = 3\n""""',
    "k{mark} = '''[[a]]\n\n' ''\n'''''",
    'k{mark} = "\\\\" # "',
    "k{mark} = 1979-05-27T07:32:00Z",
]


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Return a valid text in which every whole number from 100,000 up stands only once."""
    numbers = count(100_000)

    def value(depth: int) -> str:
        kind = draw(st.integers(0, 4)) if depth else 0
        if kind == 1:
            separator = draw(st.sampled_from([", ", ",\n", "\n, # ] ,\n\n"]))
            parts = [value(depth - 1) for _ in range(draw(st.integers(0, 3)))]
            return f"[{separator.join(parts)}{draw(st.sampled_from(['', chr(10)]))}]"
        if kind == 2:
            pairs = [pair(depth - 1) for _ in range(draw(st.integers(0, 3)))]
            return "{" + ", ".join(p for p in pairs if "\n" not in p) + "}"
        return str(next(numbers))

    def pair(depth: int) -> str:
        key = f"k{next(numbers)}"
        key = draw(st.sampled_from([key, f"{key}.a", f"'{key}'", f'{key} . "\\u0023 b"']))
        equals = draw(st.sampled_from(["=", " = "]))
        return f"{key}{equals}{value(depth)}"

    lines: list[str] = []
    arrays: list[str] = []
    for _ in range(draw(st.integers(0, 12))):
        kind = draw(st.integers(0, 5))
        if kind == 0:
            lines.append(f"[t{next(numbers)}]")
        elif kind == 1:
            array = draw(st.sampled_from([f"a{next(numbers)}", *arrays]))
            arrays = [*arrays, array]
            lines.append(f"[[{array}]]")
        elif kind == 2 and arrays:
            inner = f"{draw(st.sampled_from(arrays))}.i{next(numbers)}"
            lines.append(draw(st.sampled_from([f"[{inner}]", f"[[ {inner} ]]"])))
        elif kind == 3:
            lines.append(draw(st.sampled_from(DECOYS)).replace("{mark}", str(next(numbers))))
        else:
            lines.append(pair(3))
    return "\n".join(lines)


@given(documents())
def test_every_number_is_found_in_the_line_where_it_stands(text: str) -> None:
    lines = key_lines(text)
    rows = text.split("\n")
    for where, value in leaves(tomllib.loads(text)):
        assert where in lines
        if type(value) is int and value >= 100_000:
            (row,) = [n for n, row in enumerate(rows, 1) if str(value) in row]
            assert lines[where] == row
