"""``highstreet enrol``, ``submit``, ``bot`` and the accounts of ``league``, on a real server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from referee.model import TimeControl
from tests.tournaments.leagues import BEGINNING, add_set, commit, finished, take
from tests.tournaments.packages import bot_folder
from tests.tournaments.server.submitting import passed
from tests.tournaments.serving import (
    HIGHSTREET,
    LEAGUE,
    TWO,
    Place,
    Running,
    highstreet,
    league_server,
    process,
    run,
    wait_for_line,
)
from tournaments.cli.files import INTERRUPTED
from tournaments.model import (
    Enrolment,
    FaultNote,
    GameSettings,
    LeagueSettings,
    ScheduledMatch,
    Stage,
    Submission,
)
from tournaments.store import Store
from tournaments.submissions import Uploads, pack, package_hash, receive_package

CODED = replace(TWO, enrolment=Enrolment.CODE, enrolment_code="s3cret")
OPEN = replace(TWO, enrolment=Enrolment.OPEN)
USAGE = 2


class Shell:
    """Runs commands against a server, with the token of an author."""

    def __init__(self, running: Running, token: str = "") -> None:
        self.store = running.store
        self.organiser = running.organiser
        self._running = running
        self.token = token

    @property
    def environment(self) -> dict[str, str]:
        """Where the server is, and the token."""
        return {"HIGHSTREET_SERVER": self._running.address, "HIGHSTREET_TOKEN": self.token}

    async def __call__(
        self, *words: str, token: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        told = self.environment | ({} if token is None else {"HIGHSTREET_TOKEN": token})
        return await asyncio.to_thread(highstreet, *words, **told)

    async def json(self, *words: str, token: str | None = None) -> Any:
        """Run a command that must succeed, and return what it prints as JSON."""
        done = await self(*words, "--json", token=token)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@contextlib.asynccontextmanager
async def shell(
    folder: Path, settings: LeagueSettings = OPEN, author: str = "ann"
) -> AsyncIterator[Shell]:
    """Run a server that takes packages; with an author unless the league needs a code."""
    url = f"sqlite:///{folder / 'league.db'}"
    pages = "https://league.example"
    async with league_server(url, packages=folder / "data", pages=pages) as running:
        running.begin(settings=settings)
        token = ""
        if settings.enrolment == Enrolment.OPEN:
            _, token = running.store.sign_up(LEAGUE, author)
        yield Shell(running, token)


def test_enrol_prints_the_token_once_with_the_line_that_sets_it(tmp_path: Path) -> None:
    code, out = tmp_path / "code", tmp_path / "ann.token"
    code.write_text("s3cret\n", encoding="utf-8")

    async def test() -> None:
        async with shell(tmp_path, CODED) as sh:
            refused = await sh("enrol", LEAGUE, "ann")
            assert refused.returncode == USAGE
            assert "the code is wrong" in refused.stderr
            done = await sh("enrol", LEAGUE, "bob", "--code-file", str(code))
            assert done.returncode == 0, done.stderr
            variable, token = done.stdout.splitlines()[-1].split("=")
            assert variable == "export HIGHSTREET_TOKEN"
            assert sh.store.identify(token).author == "bob"
            done = await sh(
                "enrol", LEAGUE, "ann", "--code-file", str(code), "--token-out", str(out)
            )
            assert done.stdout.splitlines()[-1] == f"export HIGHSTREET_TOKEN=$(cat {out})"
            assert sh.store.identify(out.read_text().strip()).author == "ann"
            assert out.stat().st_mode & 0o077 == 0
            both = await sh("enrol", LEAGUE, "cid", "--code-file", str(code), "--code-prompt")
            assert both.returncode == USAGE

    run(test)


def test_a_bot_that_fails_is_explained_and_the_exit_code_is_one(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path / "bot", "crow")

    async def test() -> None:
        async with shell(tmp_path) as sh:
            done = await sh("submit", str(folder), "--league", LEAGUE)
            assert done.returncode == 1, done.stderr
            lines = done.stdout.splitlines()
            assert [line.split("  ")[0] for line in lines[:3]] == [
                "received",
                "unpacked",
                "not built",
            ]
            assert 'there is no runtime "cobol"' in lines[2]
            assert lines[-2].startswith("failed ")
            assert lines[-1] == f"https://league.example/leagues/{LEAGUE}/bots/crow"
            (row,) = await sh.json("bot", "list", LEAGUE)
            assert (row["bot"], row["state"], row["failed_at"]) == ("crow", "failed", "built")
            shown = await sh("bot", "show", str(row["id"]))
            assert "crow by ann" in shown.stdout
            assert "failed, not built" in shown.stdout

    run(test)


def test_an_upload_that_was_cut_goes_on_with_the_same_command(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path / "bot", "crow", content=os.urandom(300_000))
    packed = pack(folder)
    package = tmp_path / "crow.tar.gz"
    package.write_bytes(packed)
    uploads = Uploads(tmp_path / "data" / "uploads")
    uploads.append(LEAGUE, "ann", package_hash(packed), 0, packed[:200_000])

    async def test() -> None:
        async with shell(tmp_path) as sh:
            done = await sh("submit", str(package), "--league", LEAGUE)
            assert f"{len(packed):,} bytes" in done.stdout, done.stderr
            assert sh.store.package(package_hash(packed)) == packed
            assert uploads.offset(LEAGUE, "ann", package_hash(packed)) == 0

    run(test)


def test_after_ctrl_c_the_submission_goes_on(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path / "bot", "crow")

    async def test() -> None:
        async with shell(tmp_path) as sh:
            made = receive_package(sh.store, LEAGUE, "ann", pack(folder))
            assert sh.store.claim_submission("another server", 600.0) is not None
            code, said = await asyncio.to_thread(interrupted, sh, folder, tmp_path / "log")
            assert code == INTERRUPTED
            assert "the submission goes on" in said
            assert f"highstreet bot show {made.id}" in said

    run(test)


def interrupted(sh: Shell, folder: Path, log: Path) -> tuple[int, str]:
    """Submit a bot, press Ctrl-C once it is followed; return the exit code and what was said."""
    words = [*HIGHSTREET, "submit", str(folder), "--league", LEAGUE]
    with process(words, log, **sh.environment) as submitting:
        wait_for_line(submitting, "received", log)
        submitting.send_signal(signal.SIGINT)
        return submitting.wait(60), log.read_text(encoding="utf-8")


VARIED = replace(
    OPEN,
    games=(
        GameSettings("glastonbury", (2, 3), ("plain", "recipes")),
        GameSettings("gargon", (4,)),
    ),
    time_control=TimeControl(per_move=timedelta(seconds=5)),
)


@pytest.mark.slow
@pytest.mark.skipif(
    os.environ.get("HIGHSTREET_SANDBOX") != "required" and shutil.which("bwrap") is None,
    reason="bwrap is missing: apt install bubblewrap",
)
def test_the_check_for_a_league_is_the_check_of_that_league(tmp_path: Path) -> None:
    """At every variant and table size; a game that the league does not play is reported."""
    folder = bot_folder(tmp_path / "bot", "crow", runtime="python")
    manifest = folder / "bot.toml"
    claims = 'games = ["glastonbury", "kupferkessel"]'
    manifest.write_text(manifest.read_text().replace('games = ["glastonbury"]', claims))

    async def test() -> None:
        async with shell(tmp_path, VARIED) as sh:
            words = ("bot", "check", str(folder), "--league", LEAGUE)
            done = await sh(*words)
            assert done.returncode == 0, done.stdout + done.stderr
            lines = done.stdout.splitlines()
            keeps = "keeps the protocol at glastonbury; the league does not play kupferkessel"
            assert f"checked: {keeps}" in lines
            assert "tried: 4 matches against random" in lines
            assert "checking kupferkessel:" not in lines
            submitted = await sh("submit", str(folder), "--league", LEAGUE)
            assert submitted.returncode == 0, submitted.stdout
            (row,) = await sh.json("bot", "list", LEAGUE)
            reports = (await sh.json("bot", "show", str(row["id"])))["reports"]
            assert reports[-2]["sentence"] == keeps
            played = [line.split(":")[0] for line in reports[-1]["log"].splitlines()]
            assert [each for each in played if each.startswith("glastonbury")] == [
                "glastonbury, 2 seats",
                "glastonbury, 3 seats",
                "glastonbury recipes, 2 seats",
                "glastonbury recipes, 3 seats",
            ]

    run(test)


def test_a_check_for_a_league_refuses_what_it_cannot_mean(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path / "bot", "crow")

    async def test() -> None:
        async with shell(tmp_path, replace(OPEN, games=VARIED.games[1:])) as sh:
            words = ("bot", "check", str(folder))
            for more, said in [
                (("--league", LEAGUE, "--per-move", "1"), "--per-move is what the league says"),
                (("--token-file", str(folder / "bot.toml")), "--token-file is for --league NAME"),
                (("--league", "nowhere"), 'there is no league "nowhere"'),
            ]:
                refused = await sh(*words, *more)
                assert refused.returncode == USAGE
                assert said in refused.stderr

    run(test)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("no token", "HIGHSTREET_TOKEN"),
        ("no manifest", "has no bot.toml"),
        ("no league", "only the author and an organiser"),
        ("no archive", "no .tar.gz"),
    ],
)
def test_what_cannot_be_submitted_is_a_usage_error(what: str, said: str, tmp_path: Path) -> None:
    folder = bot_folder(tmp_path / "bot", "crow")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_bytes(b"no archive")
    path = {"no manifest": tmp_path / "empty", "no archive": tmp_path / "file"}.get(what, folder)
    league = "autumn" if what == "no league" else LEAGUE

    async def test() -> None:
        async with shell(tmp_path) as sh:
            token = "" if what == "no token" else None
            done = await sh("submit", str(path), "--league", league, token=token)
            assert done.returncode == USAGE
            assert said in done.stderr

    run(test)


@pytest.mark.slow
def test_an_author_looks_after_a_bot(tmp_path: Path) -> None:
    packed = pack(bot_folder(tmp_path / "bot", "crow"))

    async def test() -> None:
        async with shell(tmp_path) as sh:
            made = passed(sh.store, packed, "ann")
            match = seat_against_entrant(sh.store, made)
            sh.store.keep_match_log(match, LEAGUE, "crow", "thinking\nstill thinking\n")
            (late,) = seat_again(sh.store, made)
            note = FaultNote(late.id, "crow", "time_out", "bot", "", BEGINNING)
            attempt = take(sh.store, late).attempt
            assert commit(sh.store, "one", late.id, attempt, finished(2), b"", [note])
            faulty = await sh("bot", "show", str(made.id))
            assert "matches with faults: time_out in 1" in faulty.stdout
            table = await sh("bot", "list", LEAGUE)
            assert f"{made.id}   crow  {made.version}" in table.stdout
            shown = await sh.json("bot", "show", str(made.id))
            assert shown["standing"] is None
            assert [each["stage"] for each in shown["reports"]] == list(Stage)[1:]
            logs = await sh("bot", "show", str(made.id), "--log")
            assert "    log of tried" in logs.stdout.splitlines()
            log = await sh("bot", "log", LEAGUE, "crow")
            assert log.stdout.splitlines() == [f"{match}:", "    thinking", "    still thinking"]
            assert (await sh("bot", "log", LEAGUE, "crow", "--match", "x")).returncode == USAGE
            assert (await sh("bot", "retire", LEAGUE, "crow")).returncode == 0
            assert sh.store.playing(LEAGUE) == ()
            again = await sh("submit", str(tmp_path / "bot"), "--league", LEAGUE)
            assert again.returncode == 1, "it is not active"
            assert f"highstreet bot activate {made.id}" in again.stdout
            active = await sh.json("bot", "activate", str(made.id))
            assert active["state"] == "active"
            out = tmp_path / "got.tar.gz"
            await sh.json("bot", "download", made.package, "--out", str(out))
            assert out.read_bytes() == packed

    run(test)


def seat_against_entrant(store: Store, made: Submission) -> str:
    """Add a match of a submitted bot; return its id."""
    store.enter(LEAGUE, "entrant", "")
    store.see_version(LEAGUE, "entrant", "1")
    (match,) = seat_again(store, made)
    return match.id


def seat_again(store: Store, made: Submission) -> Sequence[ScheduledMatch]:
    """Add another match of a submitted bot."""
    table = [(made.bot, made.version), ("entrant", "1")]
    return add_set(store, LEAGUE, "glastonbury", "plain", table, why="they are here")


@pytest.mark.slow
def test_an_organiser_looks_after_accounts(tmp_path: Path) -> None:
    async def test() -> None:
        async with shell(tmp_path, replace(TWO, enrolment=Enrolment.APPROVAL)) as sh:
            enrolled = await sh.json("enrol", LEAGUE, "ann")
            assert enrolled["account"]["state"] == "pending"
            ann = enrolled["token"]
            assert "waits for the approval" in (await sh("bot", "list", LEAGUE, token=ann)).stderr
            sh.token = sh.organiser
            assert (await sh.json("league", "approve", LEAGUE, "ann"))["state"] == "active"
            assert (await sh("bot", "list", LEAGUE, token=ann)).returncode == 0
            own = await sh.json("league", "author-token", LEAGUE, token=ann)
            assert sh.store.identify(own["token"]).author == "ann"
            given = await sh.json("league", "author-token", LEAGUE, "ann")
            assert sh.store.identify(own["token"]).role == "anyone"
            assert (await sh("league", "block", LEAGUE, "ann", "--reason", "spam")).returncode == 0
            (account,) = await sh.json("league", "accounts", LEAGUE)
            assert (account["name"], account["state"], account["reason"]) == (
                "ann",
                "blocked",
                "spam",
            )
            refused = await sh("bot", "list", LEAGUE, token=given["token"])
            assert "is blocked: spam" in refused.stderr

    run(test)


def test_a_server_says_why_it_takes_no_packages(tmp_path: Path) -> None:
    """Without bubblewrap in a line of its own, and with --no-submissions to the caller alone."""
    with contextlib.ExitStack() as stack:
        place = Place(tmp_path / "place", f"sqlite:///{tmp_path / 'league.db'}", stack)
        words = [*HIGHSTREET, "serve", *place.where, "--port", "0"]
        empty = tmp_path / "empty"
        empty.mkdir()
        log = tmp_path / "log"
        without = stack.enter_context(process(words, log, PATH=str(empty)))
        assert "bubblewrap" in wait_for_line(without, "packages of bots are not taken: ", log)
        without.kill()
        without.wait()
        place.start("--no-submissions")
        refused = highstreet("enrol", LEAGUE, "ann", HIGHSTREET_SERVER=place.address)
        assert refused.returncode == USAGE
        assert "takes no packages" in refused.stderr
