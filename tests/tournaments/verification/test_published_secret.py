"""The secret of a league: published when the league is closed, and then every deal can be checked.

And what is not published before: hidden cards that a fault quotes.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from highstreet.v1 import gargon_pb2, play_pb2

from referee.record.reader import read_record
from tests.referee.dialling import Dialler
from tests.tournaments.record_files import lines_of, sealed
from tests.tournaments.serving import (
    BRIEF,
    LEAGUE,
    TWO,
    Running,
    league_server,
    playing,
    run,
    until,
)
from tournaments.cli import main
from tournaments.model import GameSettings, LeagueSettings
from tournaments.web.documents import league_document
from tournaments.web.query import MatchFilter
from tournaments.web.records import league_file, selected_records, zip_chunks


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the address of a database that is not there yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"


def highstreet(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def downloaded(running: Running, folder: Path) -> Path:
    """Unpack what the pages give out of a league."""
    everything = selected_records(running.store, LEAGUE, MatchFilter())
    data = b"".join(zip_chunks(everything, league_file(running.store, LEAGUE)))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(folder)
    return folder


async def played_league(running: Running, settings: LeagueSettings, matches: int) -> str:
    """Play some matches, close the league, and return its secret when it is published."""
    running.begin("ann", "bob", settings=settings)
    before = running.store.league(LEAGUE)
    await running.open()
    async with playing(await running.join("ann"), await running.join("bob")):
        await running.until_played(matches)
        shown = await running.manage("close", LEAGUE)
        assert shown["commitment"] == before.commitment

        async def published() -> str:
            return running.store.league(LEAGUE).secret

        secret: str = await until(published, "the secret is published")
    assert before.secret == ""
    assert hashlib.sha256(bytes.fromhex(secret)).hexdigest() == before.commitment
    return secret


@pytest.mark.parametrize("deals", ["fresh", "duplicate"])
def test_every_deal_of_a_closed_league_follows_from_its_secret(
    file: str, tmp_path: Path, deals: str
) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            settings = replace(TWO, time_control=BRIEF, deals=deals)
            secret = await played_league(running, settings, 4)
            (league,) = await running.ask("leagues")
            assert (league["state"], league["secret"]) == ("closed", secret)
            assert league_document(running.store.league(LEAGUE))["secret"] == secret
            first = min(running.played(), key=lambda match: match.position)
            running.store.annul(first.id, "a test")
            folder = downloaded(running, tmp_path / "records")
        check_records(folder, secret, deals)
        check_export(folder, first.id)

    run(test)


def check_records(folder: Path, secret: str, deals: str) -> None:
    """Check every deal by hand, and with the command."""
    assert json.loads((folder / "league.json").read_text())["secret"] == secret
    records = sorted(folder.glob("*.jsonl.zst"))
    assert len(records) >= 4
    for path in records:
        head, deal, *_ = lines_of(read_record(path))
        about = head["league"]
        assert about.keys() == {"name", "match", "set", "variant", "position", "started"}
        attempt = head["match"].removeprefix(about["match"]).removeprefix("-a") or "1"
        text = about["set"] if deals == "duplicate" else f"{about['match']}/{attempt}"
        key = bytes.fromhex(secret)
        assert deal["seed"] == hmac.new(key, text.encode(), "sha256").hexdigest()
    done = highstreet("verify", folder, "--secret", secret)
    assert done.exit_code == 0, done.output
    assert f"{len(records)} records: {len(records)} correct, 0 wrong" in done.output
    committed = json.loads((folder / "league.json").read_text())["commitment"]
    assert f"SHA-256 of the secret: {committed}" in done.output
    wrong = highstreet("verify", folder, "--secret", "00" * 32)
    assert wrong.exit_code == 1
    assert wrong.output.count("line 2: the seed does not follow from the secret.") == len(records)


def check_export(folder: Path, annulled: str) -> None:
    assert highstreet("records", "export", folder, "--csv").exit_code == 0
    header, *rows = (folder / "csv" / "matches.csv").read_text().splitlines()
    assert ",league,position,started,status,file" in header
    assert all(f",{LEAGUE}," in row for row in rows)
    assert [",annulled," in row for row in rows] == [f",{annulled}," in row for row in rows]
    assert sum(",annulled," in row for row in rows) == 1


def test_another_deal_is_found_though_its_commitment_was_computed_anew(
    file: str, tmp_path: Path
) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            secret = await played_league(running, replace(TWO, time_control=BRIEF), 1)
            folder = downloaded(running, tmp_path / "records")
        lines = lines_of(read_record(next(iter(folder.glob("*.zst")))))
        lines[0]["league"]["match"] = lines[0]["match"] = "spring-999-1"
        forged = tmp_path / "forged.jsonl"
        forged.write_bytes(sealed(lines))
        assert highstreet("verify", forged).exit_code == 0
        done = highstreet("verify", forged, "--secret", secret)
        assert "line 2: the seed does not follow from the secret." in done.output
        lines[0]["match"] = "another"
        forged.write_bytes(sealed(lines))
        assert (
            "must begin with spring-999-1"
            in highstreet("verify", forged, "--secret", secret).output
        )
        del lines[0]["league"]
        forged.write_bytes(sealed(lines))
        done = highstreet("verify", forged, "--secret", secret)
        assert "does not say which match of which set it is" in done.output

    run(test)


@pytest.mark.parametrize("secret", ["", "xyz", "AB" * 32, "ab cd", "abc"])
def test_a_secret_that_is_none_is_refused(tmp_path: Path, secret: str) -> None:
    done = highstreet("verify", tmp_path, "--secret", secret)
    assert done.exit_code == 2
    assert "the secret must be hexadecimal digits in lower case" in done.output


# Hidden cards -------------------------------------------------------------------------------------

CARDS = LeagueSettings(
    "Cards", (GameSettings("gargon", (3,)),), deals="duplicate", time_control=BRIEF, bench_after=1
)


async def play_a_card_that_is_not_there(bot: Dialler) -> list[Any]:
    """Answer every pick with another card of the colour, until the connection ends."""
    said: list[Any] = []
    while True:
        try:
            answer = await bot.hear()
        except (EOFError, TimeoutError):
            return said
        kind = answer.WhichOneof("message")
        said.append(answer)
        if kind == "goodbye":
            return said
        if kind in ("decision", "move_rejected"):
            decision = next(m.decision for m in reversed(said) if m.HasField("decision"))
            await bot.say(play_pb2.PlayRequest(submit_move=wrong_answer(decision)))


def wrong_answer(decision: Any) -> Any:
    """Pick a card that the hand does not have, if it is time to pick, and play on otherwise."""
    move = decision.legal_moves[0]
    if move.gargon.HasField("pick"):
        hand = set(decision.gargon.view.hand)
        colour = (move.gargon.pick.cards[0] - 1) // 16
        card = next(c for c in range(16 * colour + 1, 16 * colour + 17) if c not in hand)
        name = gargon_pb2.Gargon.Card.Name(gargon_pb2.Gargon.Card.values()[card])
        move = play_pb2.Move(
            gargon=gargon_pb2.Gargon.Move(pick=gargon_pb2.Gargon.Pick(cards=[name]))
        )
    return play_pb2.SubmitMove(match=decision.match, decision_id=decision.decision_id, move=move)


def test_a_fault_quotes_no_hidden_card_before_the_deal_is_released(file: str) -> None:
    """The bot is told what its hand has; everybody else learns it with the record."""

    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann", "bob", "eve", settings=CARDS)
            await running.open()
            eve = await running.join("eve", max_matches=1)
            async with playing(
                await running.join("ann", max_matches=1), await running.join("bob", max_matches=1)
            ):
                heard = await play_a_card_that_is_not_there(eve)
                await running.until_played(1)

                async def benched() -> bool:
                    benched = running.store.entrant(LEAGUE, "eve").state == "benched"
                    return benched and not running.store.running(LEAGUE)

                await until(benched, "eve is benched, and nothing is played")
            rejections = [m.move_rejected for m in heard if m.HasField("move_rejected")]
            assert any("the hand does not have what is picked" in str(each) for each in rejections)
            assert not [match.id for match in running.played() if match.released]
            faults = running.store.faults(LEAGUE, "eve")
            assert {fault.fault for fault in faults} == {"illegal_move"}
            journal = [entry.text for entry in running.store.journal(LEAGUE)]
            reason = running.store.entrant(LEAGUE, "eve").reason
            public = [*(fault.detail for fault in faults), reason, *journal]
            assert not [text for text in public if "hand" in text or "pick" in text]
            running.store.close_league(LEAGUE)  # the rest of the set is not played
            faults = running.store.faults(LEAGUE, "eve")
            assert all("the hand does not have what is picked" in fault.detail for fault in faults)

    run(test)
