"""Leave a league of four sample bots alone: when it rests, what CPU it needs, and what wakes it.

    python -m benchmarks.league_rest [--minutes 10] [--rest 60] [--folder build/league-rest]

A server process runs a league with the default pace and four bots in pairs of two that are the
same: two play at random, two are greedy. When the league rests, the CPU time of the server and of
its standings process is measured for a while; then a fifth bot is entered and connects, which must
wake the league until it is settled again, or until the budget of an hour is used. The exit code is
1 if the league does not rest within the time, if it uses more than 2 % of a core while it rests, or
if it does not wake.
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
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tournaments.bot_commands import sample_command
from tournaments.config import parse_league
from tournaments.server import LeagueClient
from tournaments.store import Store

LEAGUE: Final = "rest"
FILE: Final = """\
title = "Left alone"
game = "glastonbury"
table_sizes = [2]
"""
BOTS: Final = {
    "random 1": "random",
    "random 2": "random",
    "greedy 1": "greedy",
    "greedy 2": "greedy",
}
NEWCOMER: Final = "greedy 3"
HIGHSTREET: Final = (sys.executable, "-c", "from tournaments.cli import main; main()")
POLL: Final = 2.0
MOST_SHARE: Final = 0.02
"""Of a core, while the league rests."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run the league, and print what it does."""
    parser = argparse.ArgumentParser(description="A league of four bots that is left alone.")
    parser.add_argument("--minutes", type=float, default=10.0, help="by when it must rest")
    parser.add_argument("--rest", type=float, default=60.0, help="seconds of rest to measure")
    parser.add_argument("--folder", type=Path, default=Path("build/league-rest"))
    given = parser.parse_args()
    with _server(given.folder) as (server, address, token), LeagueClient(address, token) as client:
        print(f"{', '.join(BOTS)} play on {address}", flush=True)
        began = time.monotonic()
        rested = _until(client, lambda activity: activity["state"] == "resting", given.minutes * 60)
        matches = client.standings(LEAGUE)[1]
        print(
            f"resting after {time.monotonic() - began:.0f} s and {matches} matches: {rested['why']}"
        )
        share = _cpu_share(server.pid, given.rest)
        print(f"CPU of the server while it rests: {share:.2%} of a core in {given.rest:.0f} s")
        if share > MOST_SHARE:
            sys.exit(f"that is more than {MOST_SHARE:.0%}")
        with _newcomer(client, address):
            began = time.monotonic()
            _until(client, lambda activity: activity["state"] == "playing", 60)
            print(f"{NEWCOMER} woke it after {time.monotonic() - began:.1f} s")
            calm = _until(
                client, lambda activity: activity["state"] != "playing", given.minutes * 60
            )
            more = client.standings(LEAGUE)[1] - matches
            print(f"{calm['state']} again after {more} more matches: {calm['why']}")


def _until(
    client: LeagueClient, reached: Callable[[dict[str, Any]], bool], seconds: float
) -> dict[str, Any]:
    """Wait for an activity; end the program if it does not come in time."""
    end = time.monotonic() + seconds
    while True:
        activity: dict[str, Any] = client.league(LEAGUE)["activity"]
        if reached(activity):
            return activity
        if time.monotonic() > end:
            sys.exit(f"not reached in {seconds:.0f} s: the league is {activity}")
        time.sleep(min(seconds, POLL))


# The server -------------------------------------------------------------------------------------


@contextlib.contextmanager
def _server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Run a server with the bots; return it with its address and the token of its organiser."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    file = folder / "league.toml"
    file.write_text(FILE, encoding="utf-8")
    parse_league(FILE, str(file))
    with Store.open(f"sqlite:///{folder.resolve() / 'league.db'}") as store:
        token = store.issue_organiser("benchmark")
    command = [*HIGHSTREET, "serve", "--data", str(folder), "--league", f"{LEAGUE}={file}"]
    command += ["--port", "0", "--web-port", "0"]
    for name, sample in BOTS.items():
        words = sample_command(sample).arguments
        command += ["--house", f"{LEAGUE}/{name}={shlex.join(words)}"]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
    try:
        yield server, _address(server, folder / "server.log"), token
    finally:
        server.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _address(server: subprocess.Popen[str], log: Path) -> str:
    start = "listening on "
    for line in server.stdout or ():
        if start in line:
            return line.partition(start)[2].split()[0]
    sys.exit(f"the server does not start: {log.read_text(encoding='utf-8')}")


@contextlib.contextmanager
def _newcomer(client: LeagueClient, address: str) -> Iterator[None]:
    """Enter one more bot, and let it connect."""
    _, token = client.enter(LEAGUE, NEWCOMER, "")
    environment = {**os.environ, "HIGHSTREET_TARGET": address, "HIGHSTREET_TOKEN": token}
    bot = subprocess.Popen(sample_command("greedy").arguments, env=environment)
    try:
        yield
    finally:
        bot.kill()
        bot.wait()


# CPU --------------------------------------------------------------------------------------------


def _cpu_share(pid: int, seconds: float) -> float:
    """Return the share of a core that a server and its standings process use, without its bots."""
    processes = [pid, *_workers(pid)]
    before = sum(map(_cpu_seconds, processes))
    time.sleep(seconds)
    return (sum(map(_cpu_seconds, processes)) - before) / seconds


def _workers(pid: int) -> list[int]:
    """Return the children of a server that are processes of Python's multiprocessing."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    found = [int(child) for file in children for child in file.read_text().split()]
    return [
        each for each in found if b"multiprocessing" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


if __name__ == "__main__":
    main()
