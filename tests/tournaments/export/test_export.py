"""``highstreet records export``: records in, tables out."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from engine.registry import GAMES
from referee.record.format import RecordError
from referee.record.reader import read_record
from referee.record.writer import write_record
from tests.tournaments.record_files import lines_of, record, sealed, void_record, with_small_files
from tournaments.cli import main
from tournaments.export.parquet import ParquetTable
from tournaments.export.rows import DECISIONS, MATCHES, rows_of

IN_A_SET: dict[str, Any] = {
    "tournament": {"name": "league", "set": "s1", "match": "s1-2", "variant": "recipes"}
}
PLAIN = record("m1", "ann", "bob")
RICH = record("m2-a2", "ann", "bob", "cid", options={"recipes": True}, verdicts=1, **IN_A_SET)
ODD = record("m3", "=1", "b", options={"colours": "BRGY", "dead_end_counts_as_end": False})
VOID = void_record("m4")
SOURCES = {"m1.jsonl": PLAIN, "deep/m2.jsonl.zst": RICH, "m3.jsonl": ODD, "m4.jsonl": VOID}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with four records, one of them compressed and further down."""
    made = tmp_path / "some"
    (made / "deep").mkdir(parents=True)
    write_record(made / "deep", "m2", RICH, compress=True)
    for name, data in (("m1", PLAIN), ("m3", ODD), ("m4", VOID)):
        write_record(made, name, data)
    (made / "notes.txt").write_text("no record")
    return made


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["records", "export", *map(str, arguments)])


def parquet(folder: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return rows


OF_OTHER_GAMES = [
    f"option_{option.name}" for game in GAMES.values() for option in game.spec.options_offered
]
"""The columns that are empty for a game without such an option."""


def expected(names: Mapping[str, bytes]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of some records, read in the plainest way."""
    matches, decisions = [], []
    for file in sorted(names):
        head, deal, *played, end = lines_of(names[file])
        tournament, league = head.get("tournament", {}), head.get("league", {})
        about = tournament or league
        entrants = [seat["entrant"] for seat in head["seats"]]
        matches.append(
            {
                "match": head["match"],
                "game": "glastonbury",
                "rules_version": "1",
                "seats": len(entrants),
                "options": json.dumps(head["options"], separators=(",", ":")),
                **dict.fromkeys(OF_OTHER_GAMES),
                "option_recipes": head["options"]["recipes"],
                "option_colours": head["options"].get("colours", "YGRB"),
                "option_dead_end_counts_as_end": head["options"].get(
                    "dead_end_counts_as_end", True
                ),
                "entrants": entrants,
                "scores": end["scores"],
                "places": end["places"],
                "forfeits": end["forfeits"],
                "ending": end["ending"],
                "decisions": len(played),
                "seed": deal["seed"],
                "tournament": tournament.get("name"),
                "set": about.get("set"),
                "scheduled_match": about.get("match"),
                "variant": about.get("variant"),
                "league": league.get("name"),
                "position": league.get("position"),
                "started": league.get("started"),
                "status": "void" if end["ending"] == "stopped" else "counted",
                "file": file,
            }
        )
        for fields in played:
            verdicts = fields.pop("verdicts", None)
            del fields["kind"]
            fields["match"], fields["entrant"] = head["match"], entrants[fields["seat"]]
            fields["verdicts"] = verdicts and json.dumps(verdicts, separators=(",", ":"))
            decisions.append(fields)
    return matches, decisions


# What is in the tables --------------------------------------------------------------------------


def test_every_match_and_every_decision_has_a_row(folder: Path) -> None:
    done = run(folder, "--parquet")
    matches, decisions = expected(SOURCES)
    assert done.exit_code == 0, done.output
    assert done.output == (
        f"4 matches and {len(decisions)} decisions are in {folder}/parquet; broken records: 0\n"
    )
    assert parquet(folder / "parquet", "matches") == matches
    assert parquet(folder / "parquet", "decisions") == decisions
    assert {row["ending"] for row in matches} == {"line_emptied", "stopped"}
    assert sorted(path.name for path in (folder / "parquet").iterdir()) == [
        "decisions.parquet",
        "matches.parquet",
    ]


def test_columns_have_types(folder: Path) -> None:
    run(folder, "--parquet")
    text, whole = pa.string(), pa.int32()
    names = {name: pq.read_schema(folder / "parquet" / f"{name}.parquet") for name in TABLES}
    assert names["decisions"].types == [text, whole, whole, text, text, pa.float64(), whole, text]
    types = dict(zip(names["matches"].names, names["matches"].types, strict=True))
    for column in ("seats", "decisions", "position"):
        assert types.pop(column) == whole
    for column in ("scores", "places", "forfeits"):
        assert types.pop(column).value_type == whole
    switches = {
        f"option_{option.name}"
        for game in GAMES.values()
        for option in game.spec.options_offered
        if isinstance(option.default, bool)
    }
    assert switches >= {"option_recipes", "option_dead_end_counts_as_end", "option_open_captures"}
    for column in switches:
        assert types.pop(column) == pa.bool_()
    assert types.pop("entrants").value_type == text
    assert set(types.values()) == {text}


IN_A_LEAGUE: dict[str, Any] = {
    "league": {
        "name": "spring",
        "set": "spring-4",
        "match": "spring-4-1",
        "variant": "plain",
        "position": 7,
        "started": "2026-11-01T12:00:00+00:00",
    }
}


def test_a_match_of_a_league_says_where_it_stands_and_whether_it_counts(tmp_path: Path) -> None:
    """The record says league, set, variant, position and start; the file beside it the rest."""
    again = IN_A_LEAGUE["league"] | {"match": "spring-4-2", "position": 8}
    write_record(tmp_path, "spring-4-1", record("spring-4-1", "ann", "bob", **IN_A_LEAGUE))
    write_record(tmp_path, "spring-4-2", record("spring-4-2", "bob", "ann", league=again))
    about = {"league": "spring", "annulled": {"spring-4-2": "ann had a cold"}}
    (tmp_path / "league.json").write_text(json.dumps(about), encoding="utf-8")
    assert run(tmp_path, "--parquet").exit_code == 0
    rows = parquet(tmp_path / "parquet", "matches")
    names = ("league", "set", "scheduled_match", "variant", "position", "started", "status")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("spring", "spring-4", f"spring-4-{n}", "plain", 6 + n, "2026-11-01T12:00:00+00:00", status)
        for n, status in ((1, "counted"), (2, "annulled"))
    ]
    assert {row["tournament"] for row in rows} == {None}


@pytest.mark.parametrize("about", ["", "[]", "{}", '{"annulled": 7}', "\ufffd{"])
def test_a_league_file_that_cannot_be_read_is_said(tmp_path: Path, about: str) -> None:
    write_record(tmp_path, "spring-4-1", record("spring-4-1", "ann", "bob", **IN_A_LEAGUE))
    (tmp_path / "league.json").write_text(about, encoding="utf-8")
    done = run(tmp_path, "--csv")
    assert done.exit_code == 2, "there is nothing to export"
    assert (
        "league.json beside the record cannot be read: download the records again." in done.output
    )


TABLES = ("matches", "decisions")


def test_records_of_all_games_are_in_one_table(tmp_path: Path) -> None:
    kinds: dict[str, dict[str, Any]] = {
        "gargon": {"open_captures": True, "allow_111": False},
        "glastonbury": {"colours": "BRGY"},
        "kupferkessel": {"recipes": True, "symbols": "all2"},
    }
    for game, options in kinds.items():
        data = record(game, "ann", "bob", "cid", game=GAMES[game], options=options)
        write_record(tmp_path, game, data)
    assert run(tmp_path, "--parquet").exit_code == 0
    rows = {row["game"]: row for row in parquet(tmp_path / "parquet", "matches")}
    assert rows.keys() == kinds.keys()
    for game, options in kinds.items():
        values = GAMES[game].spec.options(3, options)
        for column in OF_OTHER_GAMES:
            assert rows[game][column] == values.get(column.removeprefix("option_"))
    decisions = parquet(tmp_path / "parquet", "decisions")
    assert {row["match"] for row in decisions} == kinds.keys()


def test_csv_says_the_same(folder: Path) -> None:
    done = run(folder, "--csv", "--parquet", "--out", folder / "both")
    assert done.exit_code == 0, done.output
    for name in TABLES:
        with (folder / "both" / f"{name}.csv").open(newline="") as file:
            written = list(csv.DictReader(file))
        rows = parquet(folder / "both", name)
        assert len(written) == len(rows)
        for found, row in zip(written, rows, strict=True):
            if "ms" in found:
                found["ms"] = str(float(found["ms"]))
            assert not any(value.startswith(("=", "+", "-", "@")) for value in found.values())
            plain = {key: value.removeprefix("'") for key, value in found.items()}
            assert plain == {key: cell(value) for key, value in row.items()}


def cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"))


def test_the_default_folders_are_named_after_the_form(folder: Path) -> None:
    done = run(folder, "--csv", "--parquet")
    assert f"are in {folder}/parquet and {folder}/csv;" in done.output
    for form in ("csv", "parquet"):
        assert sorted(p.name for p in (folder / form).iterdir()) == [
            f"decisions.{form}",
            f"matches.{form}",
        ]


def test_of_a_tournament_only_its_records_are_taken(folder: Path) -> None:
    (folder / "records").mkdir()
    write_record(folder / "records", "m9", record("m9", "ann", "bob"), compress=True)
    assert run(folder, "--parquet").exit_code == 0
    (row,) = parquet(folder / "parquet", "matches")
    assert (row["match"], row["file"]) == ("m9", "records/m9.jsonl.zst")


def test_the_same_records_give_the_same_bytes(folder: Path) -> None:
    """And an export can be repeated where one is already."""
    written = []
    for _ in range(2):
        assert run(folder, "--parquet").exit_code == 0
        written.append([(folder / "parquet" / f"{name}.parquet").read_bytes() for name in TABLES])
    assert written[0] == written[1]


def test_rows_are_written_group_by_group(tmp_path: Path) -> None:
    """A group has 10 rows at most before another record is added; all rows arrive in order."""
    table = ParquetTable(tmp_path / "x.parquet", DECISIONS, cells=10 * len(DECISIONS))
    rows = rows_of(PLAIN, "x").decisions
    for start in range(0, 60, 4):
        table.write(rows[start : start + 4])
    table.close()
    file = pq.ParquetFile(tmp_path / "x.parquet")
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [12] * 5
    assert [row["n"] for row in file.read().to_pylist()] == list(range(1, 61))


# What is broken ---------------------------------------------------------------------------------


def edited(**changes: Any) -> bytes:
    """Return a record with other values, and the right hashes."""
    return changed(lambda lines: [line.update(changes.get(line["kind"], {})) for line in lines])


def changed(change: Callable[[list[dict[str, Any]]], object]) -> bytes:
    lines = lines_of(PLAIN)
    change(lines)
    return sealed(lines)


BROKEN = {
    "nothing": (b"", "the record breaks off: "),
    "no end": (PLAIN[: PLAIN.rindex(b'{"kind":"end"')], "the record breaks off: "),
    "half a line": (PLAIN[:-10], "the line breaks off"),
    "no JSON": (b"{]\n", "line 1: the line cannot be read as JSON"),
    "no object": (b"[]\n", "line 1: the line must be a JSON object."),
    "a changed byte": (
        PLAIN.replace(b'"n":3,"seat":0', b'"n":3,"seat":1'),
        "line 5: hash is ",
    ),
    "no hash": (b'{"kind":"head","format":1}\n', "line 1: the line must end with its hash"),
    "another format": (edited(head={"format": 2}), "line 1: format is 2; this program reads 1."),
    "no deal": (changed(lambda lines: lines.pop(1)), "line 2: this line must be of the kind deal."),
    "two ends": (changed(lambda lines: lines.append(lines[-1])), "nothing may follow the end."),
    "no match": (changed(lambda lines: lines[0].pop("match")), "match must be text."),
    "no options": (edited(head={"options": None}), "line 1: options must be an object."),
    "wrong seats": (edited(head={"options": {"seats": 3}}), "line 1: seats has another number"),
    "seats of another kind": (edited(head={"seats": [1, 2]}), "seats must be a list of objects."),
    "a nameless entrant": (edited(head={"seats": [{}, {}]}), "entrants must be a list of texts."),
    "an option of another kind": (
        edited(head={"options": {"seats": 2, "recipes": "yes"}}),
        "option_recipes must be true or false.",
    ),
    "a large score": (edited(end={"scores": [2**31, 0]}), "scores must be a list of whole"),
    "places in words": (edited(end={"places": "1, 2"}), "places must be a list of whole numbers"),
    "a truth for a number": (edited(end={"forfeits": [True]}), "forfeits must be a list"),
    "nobody's seat": (edited(decision={"seat": 2}), "line 3: seat must be one of the table."),
    "a seat before the first": (edited(decision={"seat": -1}), "line 3: seat must be one"),
    "a wrong number": (edited(decision={"n": 1}), "line 4: n must be 2."),
    "no move": (edited(decision={"move": None}), "line 3: move must be text."),
    "endless time": (edited(decision={"ms": 10**30}), "line 3: ms must be a number."),
    "a bottomless verdict": (
        edited(decision={"verdicts": json.loads("[" * 500 + "]" * 500)}),
        "line 3: the line cannot be read as JSON",
    ),
    "time in words": (edited(decision={"ms": "1"}), "line 3: ms must be a number."),
}


@pytest.mark.parametrize(("data", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_broken_record_is_named_and_left_out(folder: Path, data: bytes, sentence: str) -> None:
    (folder / "m0.jsonl").write_bytes(data)
    done = run(folder, "--csv", "--parquet")
    assert done.exit_code == 1
    assert done.stderr.startswith(f"{folder}/m0.jsonl: ")
    assert sentence in done.stderr
    assert done.stdout.endswith("; broken records: 1\n")
    assert parquet(folder / "parquet", "matches") == expected(SOURCES)[0]


def test_what_is_no_compressed_record_is_named_too(folder: Path) -> None:
    (folder / "m0.jsonl.zst").write_bytes(b"no zstd")
    done = run(folder, "--parquet")
    assert done.exit_code == 1
    assert "m0.jsonl.zst: cannot be decompressed" in done.stderr


def test_a_match_counts_once(folder: Path) -> None:
    (folder / "m1-copy.jsonl").write_bytes(PLAIN)
    done = run(folder, "--parquet")
    assert done.exit_code == 1
    assert f"{folder}/m1.jsonl: match m1 is in m1-copy.jsonl already." in done.stderr
    assert len(parquet(folder / "parquet", "matches")) == 4


def test_verify_finds_what_only_the_rules_forbid(folder: Path) -> None:
    """Nobody can take a corner, but the hashes do not know that."""
    (folder / "m1.jsonl").write_bytes(edited(decision={"move": "take a1"}))
    assert run(folder, "--parquet").exit_code == 0
    done = run(folder, "--parquet", "--verify")
    assert done.exit_code == 1
    assert f"{folder}/m1.jsonl: line 3: " in done.stderr
    assert "m1" not in {row["match"] for row in parquet(folder / "parquet", "matches")}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
KEYS = [
    *((0, key) for key in ("match", "game", "rules_version", "options", "seats", "tournament")),
    (1, "seed"),
    *((2, key) for key in ("n", "seat", "move", "ms", "legal", "verdicts")),
    *((-1, key) for key in ("ending", "scores", "places", "forfeits")),
]


@given(st.dictionaries(st.sampled_from(KEYS), ANYTHING, min_size=1, max_size=3))
def test_whatever_a_record_says_it_is_refused_or_can_be_written(
    changes: dict[tuple[int, str], Any],
) -> None:
    lines = lines_of(VOID)
    for (line, key), value in changes.items():
        lines[line][key] = value
    try:
        row, decisions = rows_of(sealed(lines), "file")
    except RecordError:
        return
    for columns, rows in ((MATCHES, [row]), (DECISIONS, decisions)):
        sink = pa.BufferOutputStream()
        table = ParquetTable(sink, columns)
        table.write(rows)
        table.close()
        assert pq.read_table(pa.BufferReader(sink.getvalue())).num_rows == len(rows)


# What is refused, and what is left behind -------------------------------------------------------


def test_bad_usage_is_exit_code_2(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    for arguments, sentence in (
        ([folder], "say in which form: --parquet, --csv or both."),
        ([tmp_path / "none", "--csv"], "does not exist"),
        ([tmp_path / "empty", "--csv"], "there is neither *.jsonl nor *.jsonl.zst in it."),
        ([folder, "--csv", "--out", tmp_path / "file" / "x"], "cannot make the folder"),
    ):
        done = run(*arguments)
        assert done.exit_code == 2
        assert sentence in done.output


def test_without_any_right_record_nothing_is_written(folder: Path) -> None:
    assert run(folder, "--csv").exit_code == 0
    before = (folder / "csv" / "matches.csv").read_bytes()
    for path in folder.rglob("*.jsonl*"):
        path.write_bytes(b"x")
    done = run(folder, "--csv")
    assert done.exit_code == 2
    assert "m1.jsonl: line 1: the line breaks off" in done.stderr
    assert "no record could be read, so nothing was written." in done.stderr
    assert (folder / "csv" / "matches.csv").read_bytes() == before
    assert len(list((folder / "csv").iterdir())) == 2


def test_without_pyarrow_it_is_said_how_to_get_it(folder: Path) -> None:
    program = "import sys; sys.modules['pyarrow'] = None\nfrom tournaments.cli import main\nmain()"
    asked = [sys.executable, "-c", program, "records", "export", str(folder)]
    done = subprocess.run([*asked, "--parquet"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install pyarrow" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "parquet").exists()
    assert subprocess.run([*asked, "--csv"], capture_output=True, check=False).returncode == 0


def test_an_interrupt_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(path: Path) -> bytes:
        if path.name == "m3.jsonl":
            raise KeyboardInterrupt
        return read_record(path)

    monkeypatch.setattr("tournaments.export.tables.read_record", interrupted)
    done = run(folder, "--parquet", "--csv")
    assert done.exit_code == 130
    assert done.stderr == "interrupted; nothing was written.\n"
    for form in ("parquet", "csv"):
        assert list((folder / form).iterdir()) == []


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_full_disk_leaves_nothing_behind(folder: Path, form: str) -> None:
    """A limit for the size of files is as bad as a full disk."""
    asked = ["records", "export", str(folder), f"--{form}"]
    done = subprocess.run(
        [*with_small_files(1000), *asked], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "cannot write the tables: " in done.stderr
    assert "Traceback" not in done.stderr
    assert list((folder / form).iterdir()) == []
