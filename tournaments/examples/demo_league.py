"""A league on this machine: a server, and sample bots of every language that is built.

    python tournaments/examples/demo_league.py build/demo-league

The server starts the bots, and each connects with a token of its own; those that only read and
write lines connect through `highstreet bridge`. Ctrl-C lets the running matches finish and ends
everything; Ctrl-C again ends the server at once, and the bots end when they find no server.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from referee.model import Transport
from referee.transports import check_port
from sample_bots.languages import Language, languages
from tournaments.bot_commands import SAMPLES, sample_command
from tournaments.config import parse_league
from tournaments.store import Store

LEAGUE = "demo"
HOST = "127.0.0.1"
FILE = Path(__file__).parent / "league.toml"
HIGHSTREET = (sys.executable, "-c", "from tournaments.cli import main; main()")
PORT = 8000
"""The port of the pages, unless another one is given."""
GRACE = 10.0
"""The time in seconds that matches have to finish when the league is stopped."""
MORE = 10.0
"""The time in seconds that the server has beyond that to end."""
SECONDS_PER_MOVE = {"search": 0.3, "slow search": 0.8}
"""The time of the search bots for a move: long enough for a match to be watched."""


def main() -> None:
    """Run the league until it is interrupted."""
    parser = argparse.ArgumentParser(description="A league with sample bots on this machine.")
    parser.add_argument("folder", type=Path, help="made anew each time")
    parser.add_argument("--port", type=int, default=0, help="for bots; 0 is any free one")
    parser.add_argument(
        "--web-port", type=int, help=f"for pages; 0 is any free one; default: {PORT} if it is free"
    )
    parser.add_argument("--only", nargs="+", metavar="BOT", help="not all bots, but these")
    given = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)
    web_port = _web_port(given.web_port)
    with contextlib.suppress(KeyboardInterrupt):
        _run(given.folder, given.port, web_port, given.only)
    print("the league is over")


def _web_port(given: int | None) -> int:
    """Return the port for pages, before anything is started; end if a given one is taken."""
    try:
        check_port(HOST, PORT if given is None else given)
    except OSError as error:
        if given is not None:
            sys.exit(
                f"cannot serve pages on {HOST}:{given}: {error.strerror} "
                "Write `make demo-league PORT=8123`, with a port that is free."
            )
        print(f"port {PORT} is taken, so the pages get a free one", flush=True)
        return 0
    return PORT if given is None else given


def _run(folder: Path, port: int, web_port: int, only: list[str] | None) -> None:
    bots = {name: words for name, words in _bots() if only is None or name in only}
    _create_database(folder)
    command = [*HIGHSTREET, "serve", "--data", str(folder), "--league", f"{LEAGUE}={FILE}"]
    command += ["--port", str(port), "--web-port", str(web_port), "--grace", str(GRACE)]
    for name, words in bots.items():
        command += ["--house", f"{LEAGUE}/{name}={shlex.join(words)}"]
    log = folder / "server.log"
    with log.open("w") as errors:
        server = subprocess.Popen(  # noqa: S603  a program of this project
            command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
    try:
        pages = _address_of_pages(server, log)
        print(f"{len(bots)} bots dial in: {', '.join(bots)}")
        print(f"Look at {pages}/leagues/{LEAGUE} and {pages}/leagues/{LEAGUE}/live")
        print("Ctrl-C ends everything.", flush=True)
        sys.exit(server.wait())
    finally:
        _end(server)


def _bots() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return every bot that can be started here: its name and its command."""
    for name in [*SAMPLES, "slow search"]:
        words = tuple(sample_command(name.removeprefix("slow ")).arguments)
        seconds = SECONDS_PER_MOVE.get(name)
        yield name, (("env", f"BOT_SECONDS={seconds}", *words) if seconds else words)
    settings = parse_league(FILE.read_text(encoding="utf-8"), FILE.name)
    for language in languages().values():
        if not _is_built(language):
            continue
        plays_all = {rules.game for rules in settings.games} <= set(language.games)
        words = language.command("greedy" if plays_all else "random")
        if language.transport is Transport.PIPE:
            words = (*HIGHSTREET, "bridge", "--", *words)
        yield language.name, words


def _is_built(language: Language) -> bool:
    """Return whether everything that its command names exists."""
    program, *rest = language.run
    files = [word for word in language.run if "/" in word]
    found = all((language.folder / word).exists() for word in files)
    return found and ("/" in program or shutil.which(program) is not None) and bool(rest or files)


def _create_database(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    with Store.open(f"sqlite:///{folder.resolve() / 'league.db'}") as store:
        print(f"token of the organiser: {store.first_organiser()}")


def _address_of_pages(server: subprocess.Popen[str], log: Path) -> str:
    """Wait until the server prints where its pages are."""
    start = "pages on "
    for line in server.stdout or ():
        if line.startswith(start):
            return line.removeprefix(start).strip()
    server.wait()
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    sys.exit(f"the server does not start: {lines[-1] if lines else f'{log} is empty'}")


def _end(server: subprocess.Popen[str]) -> None:
    """Let the server finish its matches and end the bots; kill it after a second interrupt."""
    try:
        if server.poll() is None:
            print(
                f"stopping: waiting for the server, whose matches have {GRACE:g} seconds to finish;"
                " Ctrl-C again ends everything at once",
                flush=True,
            )
            server.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(GRACE + MORE)
    except KeyboardInterrupt:
        print("ending everything at once", flush=True)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
