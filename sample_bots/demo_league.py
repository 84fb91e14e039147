"""A league on this machine: a server, and sample bots of every language that is built.

    python sample_bots/demo_league.py build/demo-league

Every bot dials in with a token of its own, as one from elsewhere would; those that only read and
write lines do so through `highstreet bridge`. Ctrl-C ends everything.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from referee import Transport
from tournaments.bot_names import SAMPLES, sample_command
from tournaments.languages import Language, languages
from tournaments.league.file import parse_league
from tournaments.league.model import LeagueSettings
from tournaments.league.store import LeagueStore

LEAGUE = "demo"
FILE = Path(__file__).parent.parent / "tournaments" / "examples" / "league.toml"
HIGHSTREET = (sys.executable, "-c", "from tournaments.cli import main; main()")
GRACE = 15.0
"""Seconds that a program has to end when it is asked to."""
THINKING = {"search": "0.3", "slow search": "0.8"}
"""How many seconds a search bot takes for a move: long enough for a match to be watched."""


def main() -> None:
    """Run the league until somebody has seen enough."""
    parser = argparse.ArgumentParser(description="A league with sample bots on this machine.")
    parser.add_argument("folder", type=Path, help="made anew each time")
    parser.add_argument("--port", default="0", help="for bots; 0 is any free one")
    parser.add_argument("--web-port", default="8000", help="for pages; 0 is any free one")
    parser.add_argument("--only", nargs="+", metavar="BOT", help="not all bots, but these")
    order = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    with contextlib.suppress(KeyboardInterrupt):
        _run(order.folder, order.port, order.web_port, order.only)
    print("the league is over")


def _run(folder: Path, port: str, web_port: str, only: list[str] | None) -> None:
    settings = parse_league(FILE.read_text(encoding="utf-8"), FILE.name)
    bots = {name: bot for name, bot in _bots(settings) if only is None or name in only}
    tokens = _make(folder, settings, list(bots))
    started: list[subprocess.Popen[str]] = []
    try:
        serve = ("serve", "--data", str(folder), "--port", port, "--web-port", web_port)
        server = _start(started, folder / "server.log", HIGHSTREET + serve, {}, subprocess.PIPE)
        target, pages = _told(server, "listening on "), _told(server, "pages on ")
        for name, (command, environment) in bots.items():
            told = {"HIGHSTREET_TARGET": target, "HIGHSTREET_TOKEN": tokens[name], **environment}
            _start(started, folder / "bots.log", command, told, subprocess.DEVNULL)
        print(f"{len(bots)} bots dial in: {', '.join(bots)}")
        print(f"Look at {pages}/leagues/{LEAGUE} and {pages}/leagues/{LEAGUE}/live")
        print("Ctrl-C ends everything.", flush=True)
        sys.exit(server.wait())
    finally:
        _end(started)


def _bots(settings: LeagueSettings) -> Iterator[tuple[str, tuple[tuple[str, ...], dict[str, str]]]]:
    """Return every bot that can be started here, by name: its command and its environment."""
    for name in SAMPLES:
        yield name, (tuple(sample_command(name).arguments), _thinking(name))
    yield "slow search", (tuple(sample_command("search").arguments), _thinking("slow search"))
    for language in languages().values():
        if not _is_built(language):
            continue
        plays_all = {rules.game for rules in settings.games} <= set(language.games)
        command = language.command("greedy" if plays_all else "random")
        if language.transport is Transport.PIPE:
            command = (*HIGHSTREET, "bridge", "--", *command)
        yield language.name, (command, {})


def _thinking(name: str) -> dict[str, str]:
    return {"BOT_SECONDS": THINKING[name]} if name in THINKING else {}


def _is_built(language: Language) -> bool:
    """Tell whether everything that its command names is there."""
    program, *rest = language.run
    files = [word for word in language.run if "/" in word]
    found = all((language.folder / word).exists() for word in files)
    return found and ("/" in program or shutil.which(program) is not None) and bool(rest or files)


def _make(folder: Path, settings: LeagueSettings, names: list[str]) -> dict[str, str]:
    """Make the league anew, and return the token of every bot."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    with LeagueStore.open(f"sqlite:///{folder.resolve() / 'league.db'}") as store:
        organiser = store.first_organiser()
        store.create_league(LEAGUE, settings)
        print(f"token of the organiser: {organiser}")
        return {name: store.enter(LEAGUE, name, "Highstreet")[1] for name in names}


def _start(
    started: list[subprocess.Popen[str]],
    log: Path,
    command: tuple[str, ...],
    told: dict[str, str],
    out: int,
) -> subprocess.Popen[str]:
    """Start a program in a group of its own."""
    with log.open("a") as errors:
        process = subprocess.Popen(  # noqa: S603  programs of this project
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            text=True,
            start_new_session=True,
            env={**os.environ, **told},
        )
    started.append(process)
    return process


def _end(processes: list[subprocess.Popen[str]]) -> None:
    """Ask all of them to end, and wait until they have."""
    for process in processes:
        _signal(process, signal.SIGTERM)
    for process in processes:
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            _signal(process, signal.SIGKILL)
            process.wait()


def _signal(process: subprocess.Popen[str], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _told(server: subprocess.Popen[str], start: str) -> str:
    """Wait until the server says something, and return the rest of that line."""
    for line in server.stdout or ():
        if line.startswith(start):
            return line.removeprefix(start).strip()
    sys.exit("the server does not start: see server.log")


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
