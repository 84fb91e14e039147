"""Downloads of many records in one call, from servers that break off and lie."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from highstreet.v1 import match_pb2 as pb

from referee.match_service.download import PAUSES, TOGETHER
from tests.referee.dialling import run
from tests.referee.match_service.scripted_downloads import DATA, SHA256, Said, everything, serving


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder within one that nobody else writes to."""
    made = tmp_path / "out"
    made.mkdir()
    return made


def part(index: int, chunk: bytes = b"", match: str = "", problem: str = "") -> bytes:
    """Return a message with a part of a record; with a header if a match is named."""
    made = pb.RecordPart(index=index, chunk=chunk, problem=problem)
    if match:
        header = pb.RecordHeader(file_name=f"{match}.jsonl", size=len(DATA), sha256=SHA256)
        made.header.CopyFrom(header)
    return pb.DownloadRecordsResponse(parts=[made]).SerializeToString()


def all_together(asked: list[tuple[str, int]]) -> list[Said]:
    """Send what is asked for in one call, each record in two parts."""
    said: list[Said] = []
    for index, (match, offset) in enumerate(asked):
        rest = DATA[offset:]
        said.append(part(index, rest[:60_000], match))
        said += [part(index, rest[60_000:])] if rest[60_000:] else []
    return said


def test_many_records_come_in_few_calls(folder: Path) -> None:
    async def test() -> None:
        async with serving(folder) as (script, downloads, pauses):
            script.together = all_together
            matches = [f"m{number}" for number in range(2 * TOGETHER + 1)]
            tally = await downloads.fetch_all(matches)
            assert (tally.fetched, tally.failed) == (len(matches), 0)
            assert everything(folder) == {f"out/{match}.jsonl": DATA for match in matches}
            assert [len(asked) for asked in script.asked_together] == [TOGETHER, TOGETHER, 1]
            again = await downloads.fetch_all(matches)
            assert (again.there, again.failed) == (len(matches), 0)
            assert {offset for asked in script.asked_together[3:] for _, offset in asked} == {
                len(DATA)
            }
            assert (script.asked, pauses) == ([], [])

    run(test)


def test_many_records_go_on_where_they_were_cut(folder: Path) -> None:
    """Three are complete, and of the fourth 60,000 bytes are there."""

    async def test() -> None:
        async with serving(folder) as (script, downloads, pauses):

            def cut_once(asked: list[tuple[str, int]]) -> list[Said]:
                if len(script.asked_together) == 1:
                    return [*all_together(asked)[:7], grpc.StatusCode.UNAVAILABLE]
                return all_together(asked)

            script.together = cut_once
            matches = [f"m{number}" for number in range(6)]
            tally = await downloads.fetch_all(matches)
            assert (tally.fetched, tally.failed) == (6, 0)
            assert everything(folder) == {f"out/{match}.jsonl": DATA for match in matches}
            assert script.asked_together[1] == [("m3", 60_000), ("m4", 0), ("m5", 0)]
            assert pauses == [PAUSES[0]]
            assert script.asked == []

    run(test)


@pytest.mark.parametrize(
    "lie",
    [
        [part(1, DATA, "m1")],
        [part(0, DATA)],
        [part(0, DATA, "other")],
        [part(0, DATA + b"x", "m0")],
        [part(0, DATA[:5], "m0"), part(0)],
        [part(0, DATA[:5], "m0"), part(1, DATA[5:])],
        [part(0, bytes(len(DATA)), "m0")],
        [part(0, problem="no"), part(1, problem="\x1b[2Jno")],
        [b"\xff"],
        [grpc.StatusCode.INVALID_ARGUMENT],
    ],
)
def test_server_that_lies_about_many_is_asked_for_each(folder: Path, lie: list[Said]) -> None:
    """And what is on disk in the end is right, or nothing."""

    async def test() -> None:
        async with serving(folder) as (script, downloads, _):
            script.together = lambda _: lie
            tally = await downloads.fetch_all(["m0", "m1", "../etc"])
            assert (tally.fetched, list(tally.failures)) == (2, ["../etc"])
            assert everything(folder) == {"out/m0.jsonl": DATA, "out/m1.jsonl": DATA}
            assert {match for match, _ in script.asked} == {"m0", "m1"}

    run(test)


def test_files_with_other_bytes_are_replaced(folder: Path) -> None:
    async def test() -> None:
        async with serving(folder) as (script, downloads, _):
            script.together = all_together
            (folder / "m0.jsonl").write_bytes(DATA[:-1] + b"x")
            (folder / "m1.jsonl").write_bytes(DATA)
            (folder / "m2.jsonl.part").write_bytes(b"y" * 70_000)
            tally = await downloads.fetch_all(["m0", "m1", "m2"])
            assert (tally.replaced, tally.there, tally.fetched, tally.failed) == (1, 1, 2, 0)
            assert everything(folder) == {f"out/m{n}.jsonl": DATA for n in range(3)}

    run(test)
