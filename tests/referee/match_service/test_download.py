"""Downloads from servers that break off, forget and lie."""

from __future__ import annotations

import asyncio
import fcntl
import itertools
from pathlib import Path

import grpc
import pytest
from highstreet.v1 import match_pb2 as pb

from referee.match_service import download
from referee.match_service.client import CutError, DownloadError, RecordClient, UnreachableError
from referee.match_service.download import AT_ONCE, PAUSES, Downloads, Fate, Tally
from referee.match_service.service import MatchService
from referee.record.format import LARGEST_RECORD
from referee.record.repository import FolderRepository
from referee.record.writer import write_record
from referee.transports.grpc_server import RefereeServer
from tests.referee.dialling import run
from tests.referee.match_service.scripted_downloads import (
    DATA,
    Said,
    chunk,
    everything,
    header,
    honest,
    serving,
)
from tests.tournaments.record_files import record
from tests.waiting import PATIENCE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder within one that nobody else writes to."""
    made = tmp_path / "out"
    made.mkdir()
    return made


# What goes well ---------------------------------------------------------------------------------


def test_records_are_fetched_once(folder: Path) -> None:
    async def test() -> None:
        async with serving(folder) as (script, downloads, pauses):
            assert await downloads.fetch("m1") is Fate.FETCHED
            assert everything(folder) == {"out/m1.jsonl": DATA}
            assert await downloads.fetch("m1") is Fate.THERE
            assert script.asked == [("m1", 0), ("m1", len(DATA))]
            assert pauses == []

    run(test)


def test_compressed_records_of_a_tournament_are_fetched(tmp_path: Path) -> None:
    async def test() -> None:
        shelf, out = tmp_path / "shelf", tmp_path / "out"
        shelf.mkdir()
        out.mkdir()
        for match in ("s1-1", "s1-2"):
            write_record(shelf, match, record(match, "ann", "bob"), compress=True)
        server = RefereeServer()
        await server.start(add_services=MatchService(FolderRepository(shelf)).add_to)
        async with RecordClient(server.address) as client:
            for fate in (Fate.FETCHED, Fate.THERE):
                downloads = Downloads(client, out)
                listing = await downloads.listing()
                assert (listing.matches, listing.held_back) == (("s1-1", "s1-2"), 0)
                assert (await downloads.fetch_all(listing.matches)).fates == {fate: 2}
        await server.stop(grace=0)
        for path in shelf.iterdir():
            assert (out / path.name).read_bytes() == path.read_bytes()

    run(test)


def test_only_a_few_records_are_on_their_way_at_once(folder: Path) -> None:
    async def test() -> None:
        async with serving(folder) as (script, downloads, _):
            ticks = itertools.count()
            matches = [f"m{number}" for number in range(40)]
            tally = await downloads.fetch_all(matches, lambda: next(ticks))
            assert (tally.fetched, tally.failed, next(ticks)) == (40, 0, 40)
            assert 1 < script.most_open <= AT_ONCE

    run(test)


def test_a_list_is_read_page_by_page(folder: Path) -> None:
    """What is not released is only counted; a match that is listed twice counts once."""
    pages = {"": ("p2", "a", "b"), "p2": ("p3", "b", "-c"), "p3": ("", "d", "e" * 10**6)}
    asked = []

    def page(request: pb.ListMatchesRequest) -> bytes:
        asked.append((request.page_token, request.game, request.entrant))
        following, *matches = pages[request.page_token]
        listed = [pb.Match(match=m.strip("-"), record_released=m[0] != "-") for m in matches]
        return pb.ListMatchesResponse(matches=listed, next_page_token=following).SerializeToString()

    async def test() -> None:
        async with serving(folder) as (script, downloads, _):
            script.pages = page
            listing = await downloads.listing("glastonbury", "ann")
            *short, long = listing.matches
            assert short == ["a", "b", "d"]
            assert len(long) < 1000, "nobody needs more of it to refuse it"
            assert long in (await downloads.fetch_all([long])).failures
            assert listing.held_back == 1
        assert asked == [(token, "glastonbury", "ann") for token in pages]

    run(test)


# What is cut ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code", ["ABORTED", "CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE"]
)
def test_a_cut_download_goes_on_after_a_pause(folder: Path, code: str) -> None:
    """Each time 1,000 bytes come, until the fourth attempt brings the rest."""

    def brief(match: str, offset: int) -> list[Said]:
        if offset == 3000:
            return honest(match, offset)
        part = chunk(DATA[offset : offset + 1000])
        return [header(), part, getattr(grpc.StatusCode, code)]

    async def test() -> None:
        async with serving(folder) as (script, downloads, pauses):
            script.says = brief
            assert await downloads.fetch("m1") is Fate.FETCHED
            assert script.asked == [("m1", offset) for offset in (0, 1000, 2000, 3000)]
            assert pauses == [0.25, 0.5, 1.0]
        assert everything(folder) == {"out/m1.jsonl": DATA}

    run(test)


def test_what_has_come_is_kept_when_it_is_given_up(folder: Path) -> None:
    def brief(_match: str, offset: int) -> list[Said]:
        return [header(), chunk(DATA[offset : offset + 1000])]

    async def test() -> None:
        async with serving(folder) as (script, downloads, pauses):
            script.says = brief
            with pytest.raises(CutError, match="breaks off, 96400 bytes before its end"):
                await downloads.fetch("m1")
            assert pauses == [0.25, 0.5, 1.0, 2.0, 4.0]
            assert everything(folder) == {"out/m1.jsonl.part": DATA[:6000]}
            script.says = honest
            assert await downloads.fetch("m1") is Fate.FETCHED
            assert script.asked[-1] == ("m1", 6000)
        assert everything(folder) == {"out/m1.jsonl": DATA}

    run(test)


@pytest.mark.parametrize(
    ("name", "begun", "offsets"),
    {
        "a beginning": ("m1.jsonl.part", DATA[:500], [500]),
        "an empty one": ("m1.jsonl.part", b"", [0]),
        "everything": ("m1.jsonl.part", DATA, [len(DATA)]),
        "other bytes": ("m1.jsonl.part", b"x" * 500, [500, 0]),
        "too many bytes": ("m1.jsonl.part", DATA + b"x", [len(DATA) + 1, 0]),
        "of another file": ("m1.jsonl.zst.part", DATA[:500], [500, 0]),
    }.values(),
)
def test_a_part_is_used_if_it_is_one(
    folder: Path, name: str, begun: bytes, offsets: list[int]
) -> None:
    (folder / name).write_bytes(begun)

    async def test() -> None:
        async with serving(folder) as (script, downloads, _):
            assert await downloads.fetch("m1") is Fate.FETCHED
            assert script.asked == [("m1", offset) for offset in offsets]
        assert everything(folder) == {"out/m1.jsonl": DATA}

    run(test)


def test_a_server_need_not_notice_that_a_part_is_too_long(folder: Path) -> None:
    (folder / "m1.jsonl.part").write_bytes(DATA + b"x")

    def careless(match: str, offset: int) -> list[Said]:
        return honest(match, min(offset, len(DATA)))

    async def test() -> None:
        async with serving(folder) as (script, downloads, pauses):
            script.says = careless
            assert await downloads.fetch("m1") is Fate.FETCHED
            assert script.asked == [("m1", len(DATA) + 1), ("m1", 0)]
            assert pauses == []
        assert everything(folder) == {"out/m1.jsonl": DATA}

    run(test)


@pytest.mark.parametrize(
    "old", [b"", DATA[:-1], DATA + b"x", DATA.swapcase()], ids=["empty", "short", "long", "other"]
)
def test_a_file_with_other_bytes_is_replaced(folder: Path, old: bytes) -> None:
    (folder / "m1.jsonl").write_bytes(old)

    async def test() -> None:
        async with serving(folder) as (_, downloads, _):
            assert await downloads.fetch("m1") is Fate.REPLACED
        assert everything(folder) == {"out/m1.jsonl": DATA}

    run(test)


def test_a_file_with_the_other_ending_stays(folder: Path) -> None:
    (folder / "m1.jsonl").write_bytes(b"older")

    def compressed(match: str, offset: int) -> list[Said]:
        return [header(f"{match}.jsonl.zst"), *honest(match, offset)[1:]]

    async def test() -> None:
        async with serving(folder) as (script, downloads, _):
            script.says = compressed
            assert await downloads.fetch("m1") is Fate.FETCHED
            assert await downloads.fetch("m1") is Fate.THERE
        assert everything(folder) == {"out/m1.jsonl": b"older", "out/m1.jsonl.zst": DATA}

    run(test)


def test_a_huge_file_in_its_place_is_replaced(folder: Path) -> None:
    """It is not read, and its size is never sent: an offset has 32 bits."""
    for name in ("m1.jsonl", "m1.jsonl.part"):
        with (folder / name).open("wb") as file:
            file.truncate(3 * 2**30)

    async def test() -> None:
        async with serving(folder) as (script, downloads, _):
            assert await downloads.fetch("m1") is Fate.REPLACED
            assert script.asked == [("m1", 0)]
        assert everything(folder) == {"out/m1.jsonl": DATA}

    run(test)


def test_a_server_that_is_lost_ends_it_all(folder: Path) -> None:
    def gone(match: str, offset: int) -> list[Said]:
        return honest(match, offset) if match == "m0" else [grpc.StatusCode.UNAVAILABLE]

    async def test() -> None:
        async with serving(folder) as (script, downloads, pauses):
            await downloads.fetch("m0")
            script.says = gone
            tally = await downloads.fetch_all([f"m{number}" for number in range(100)])
            assert "as the script says" in tally.stopped
            assert (tally.there, tally.failed, tally.failures) == (1, 99, {})
            assert len(script.asked) <= 2 + AT_ONCE * (1 + len(PAUSES))
            assert pauses.count(4.0) <= AT_ONCE

    run(test)


def test_a_server_that_never_answered_is_given_up_at_once(folder: Path) -> None:
    async def test() -> None:
        async with serving(folder) as (script, downloads, pauses):
            script.says = lambda _match, _offset: [grpc.StatusCode.UNAVAILABLE]
            with pytest.raises(UnreachableError, match="Is the address right"):
                await downloads.fetch("m1")
            assert pauses == []
            assert not downloads.answered

    run(test)


def test_silence_is_a_cut(folder: Path) -> None:
    def falls_silent(match: str, offset: int) -> list[Said]:
        return honest(match, offset) if offset else [header(), chunk(DATA[:1000]), PATIENCE]

    async def test() -> None:
        # Long enough for everything that is said, also on a machine that is busy.
        async with serving(folder, silence=3) as (script, downloads, pauses):
            script.says = falls_silent
            assert await downloads.fetch("m1") is Fate.FETCHED
            assert script.asked == [("m1", 0), ("m1", 1000)]
            assert pauses == [0.25]
        async with serving(folder, silence=0.2) as (script, downloads, _):
            script.says = lambda _match, _offset: [PATIENCE]
            with pytest.raises(UnreachableError, match=r"has not said anything for 0\.2 seconds"):
                await downloads.fetch("m2")

    run(test)


# What is refused --------------------------------------------------------------------------------

LIES: dict[str, tuple[list[Said], str]] = {
    "nothing": ([], "before it said what they are"),
    "bytes first": ([chunk(DATA)], "before it said what they are"),
    "a file elsewhere": ([header("../m1.jsonl"), chunk(DATA)], "which is no name for the record"),
    "an absolute path": ([header("/tmp/m1.jsonl"), chunk(DATA)], "which is no name"),  # noqa: S108
    "another match": ([header("m2.jsonl"), chunk(DATA)], "which is no name for the record of m1"),
    "another kind of file": ([header("m1.py"), chunk(DATA)], "which is no name"),
    "control codes": ([header("\x1b[2J"), chunk(DATA)], r"\\u001b"),
    "too large": ([header(size=LARGEST_RECORD + 1)], "a record has at most 67108864"),
    "less than nothing": ([header(size=-1)], "announces -1 bytes"),
    "no hash": ([header(sha256=""), chunk(DATA)], "no SHA-256 that can be checked"),
    "a wrong hash": ([header(sha256="0" * 64), chunk(DATA)], "do not have the SHA-256"),
    "other bytes": ([header(), chunk(DATA.swapcase())], "do not have the SHA-256"),
    "too many bytes": ([header(), chunk(DATA), chunk(b"x")], "more bytes than it had announced"),
    "endless bytes": ([header(size=5), *[chunk(b"xxx")] * 999], "more bytes than it had announced"),
    "endless nothing": ([header(), *[chunk(b"")] * 999], "a part without bytes"),
    "two headers": ([header(), header()], "a part without bytes"),
    "noise": ([b"\xff\xff\xff"], "sent what cannot be read"),
    "noise later": ([header(), b"\xff\xff\xff"], "sent what cannot be read"),
    "a refusal": ([grpc.StatusCode.NOT_FOUND], "the server refuses: as the script says."),
    "a fault": ([grpc.StatusCode.UNKNOWN], "the server refuses: as the script says."),
    "out of range": ([grpc.StatusCode.OUT_OF_RANGE], "as the script says."),
}


@pytest.mark.parametrize(("said", "sentence"), LIES.values(), ids=LIES)
def test_a_server_that_lies_is_not_believed(folder: Path, said: list[Said], sentence: str) -> None:
    """Nothing is left of it, it is not asked again, and the other records come."""

    def liar(match: str, offset: int) -> list[Said]:
        return said if match == "m1" else honest(match, offset)

    async def test() -> None:
        async with serving(folder) as (script, downloads, pauses):
            script.says = liar
            with pytest.raises(DownloadError, match=sentence):
                await downloads.fetch("m1")
            tally = await downloads.fetch_all(["m0", "m1", "m2"])
            assert list(tally.failures) == ["m1"]
            assert (tally.fetched, tally.failed, tally.stopped) == (2, 1, "")
            assert pauses == []
        assert everything(folder) == {"out/m0.jsonl": DATA, "out/m2.jsonl": DATA}

    run(test)


@pytest.mark.parametrize(
    "match",
    ["", ".", "..", "../m1", "/tmp/m1", "a/b", ".m1", "-m1", "m1\n", "m1\0", "é", "m" * 201],  # noqa: S108
)
def test_what_cannot_be_a_file_name_is_never_asked_for(folder: Path, match: str) -> None:
    async def test() -> None:
        async with serving(folder) as (script, downloads, _):
            tally = await downloads.fetch_all([match, "m1"])
            assert "cannot be the name of a file." in tally.failures[match]
            assert script.asked == [("m1", 0)]
        assert everything(folder) == {"out/m1.jsonl": DATA}

    run(test)


@pytest.mark.parametrize("per_page", [0, 1, 50])
def test_a_list_without_end_is_refused(
    folder: Path, per_page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "MOST_PAGES", 30)
    monkeypatch.setattr(download, "MOST_MATCHES", 100)
    numbers = itertools.count()

    def page(_: pb.ListMatchesRequest) -> bytes:
        matches = [
            pb.Match(match=f"m{next(numbers)}", record_released=True) for _ in range(per_page)
        ]
        return pb.ListMatchesResponse(matches=matches, next_page_token="on").SerializeToString()

    async def test() -> None:
        async with serving(folder) as (script, downloads, _):
            script.pages = page
            with pytest.raises(DownloadError, match="the server lists matches without end"):
                await downloads.listing()

    run(test)
    assert next(numbers) == {0: 0, 1: 30, 50: 150}[per_page]


def test_two_downloads_do_not_write_one_file(folder: Path) -> None:
    async def test() -> None:
        async with serving(folder) as (_, downloads, _):
            with (folder / "m1.jsonl.part").open("wb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                with pytest.raises(DownloadError, match="another download is writing"):
                    await downloads.fetch("m1")
            assert await downloads.fetch("m1") is Fate.FETCHED

    run(test)


def test_a_folder_that_is_gone_stops_it(folder: Path) -> None:
    folder.rmdir()

    async def test() -> Tally:
        async with serving(folder) as (_, downloads, _):
            return await downloads.fetch_all([f"m{number}" for number in range(100)])

    tally = asyncio.run(test())
    assert tally.stopped.startswith(f"cannot write {folder}/m")
    assert tally.stopped.endswith(".jsonl.part: No such file or directory.")
    assert (tally.failed, tally.failures) == (100, {})
