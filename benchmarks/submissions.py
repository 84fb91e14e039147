"""Submit many packages while tables play, kill the server in the middle, and see what holds.

    python -m benchmarks.submissions --submissions 50 --authors 5 --tables 20

Starts a real `highstreet serve` with two leagues: bots that answer at once stay connected to one
and fill its tables, authors submit bots to the other, all at the same time. Every fifth package
fails at its build. When half of the submissions have ended, the server is killed with SIGKILL and
started again. The exit code is 1 if a submission is lost, has no log, or ended in another state
than it should, or if a bot of the tables had a fault or a forfeit, each of which would be a false
one. It takes four minutes on two cores; a short look while developing:

    python -m benchmarks.submissions --submissions 10 --authors 2 --tables 4
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.league import BOT_PROCESSES, HIGHSTREET, LEAGUE, beside, verdicts_of
from benchmarks.league_load import bots
from benchmarks.measuring import positive
from sample_bots.languages import templates
from sample_bots.projects import write_template
from tournaments.model import UNLIMITED, Enrolment, GameSettings, LeagueSettings
from tournaments.server import SubmissionClient
from tournaments.submissions import pack

AUTHORS: Final = "authors"
BROKEN: Final = 5
"""Every such package does not build."""
FAILING: Final = """["python3", "-c", "raise SystemExit('a source file is missing')"]"""
EVERY: Final = 1.0
"""Seconds between two looks."""
LONGEST: Final = 1800.0


class Server:
    """A server that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._where = ["--data", str(folder)]
        self._log = folder / "log"
        self.address = "127.0.0.1:0"
        """Any free port at the first start, and the same one from then on."""
        made = subprocess.run(
            [*HIGHSTREET, "serve", *self._where, "--init"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        self.organiser = made.stdout.splitlines()[-1]
        self.url = f"sqlite:///{folder / 'league.db'}"
        self._running: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it listens."""
        port = self.address.rpartition(":")[2]
        with self._log.open("a") as errors:
            self._running = subprocess.Popen(
                [*HIGHSTREET, "serve", *self._where, "--port", port, "--grace", "30"],
                stdout=subprocess.PIPE, stderr=errors, text=True,
            )  # fmt: skip
        for line in self._running.stdout or ():
            if line.startswith("listening on "):
                self.address = line.removeprefix("listening on ").strip()
                return
        raise SystemExit(f"the server did not start: see {self._log}")

    def end(self, number: int) -> None:
        """Send it a signal, and wait for its end."""
        if self._running is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._running.pid, number)
            self._running.wait()

    def errors(self) -> str:
        """Return what its log has on faults of the server."""
        text = self._log.read_text(errors="replace")
        return text[text.find("Traceback") :] if "Traceback" in text else ""

    def client(self, token: str) -> SubmissionClient:
        """Return a client with a token."""
        return SubmissionClient(self.address, token)


def prepare(server: Server, asked: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Make both leagues; return the tokens of the bots and of the authors."""
    rules = GameSettings("glastonbury", (2,), ("plain",))
    names = [f"bot{n:03}" for n in range(2 * asked.tables + 4)]
    each = -(-asked.submissions // asked.authors)
    with server.client(server.organiser) as client:
        client.create(
            LEAGUE, LeagueSettings("Load", (rules,), max_tables=asked.tables, pace=UNLIMITED)
        )
        settings = LeagueSettings("Authors", (rules,), enrolment=Enrolment.OPEN, pace=UNLIMITED)
        limits = replace(settings, bots_per_author=each, submissions_per_day=each + 1)
        client.create(AUTHORS, limits)
        tokens = [client.enter(LEAGUE, name, name)[1] for name in names]
        authors = [client.sign_up(AUTHORS, f"author {n}")[1] for n in range(asked.authors)]
    return tokens, authors


def packages(folder: Path, number: int) -> Iterator[bytes]:
    """Yield packages of different bots, of which every fifth does not build."""
    language = templates()["python"]
    for n in range(number):
        write_template(language, folder / str(n), f"bot {n}")
        if n % BROKEN == 0:
            with (folder / str(n) / "bot.toml").open("a") as manifest:
                manifest.write(f"\n[build]\ncommand = {FAILING}\n")
        yield pack(folder / str(n))


def submit(server: Server, token: str, packed: Sequence[bytes]) -> set[int]:
    """Upload the packages of one author; return their submissions."""
    with server.client(token) as client:
        return {client.upload(AUTHORS, each)["id"] for each in packed}


def states(server: Server) -> Counter[str]:
    """Return how many submissions are in each state."""
    with server.client(server.organiser) as client:
        return Counter(each["state"] for each in client.submissions(AUTHORS))


def wait_until_ended(server: Server, number: int) -> Counter[str]:
    """Wait until a number of submissions are active or have failed."""
    end = time.monotonic() + LONGEST
    while True:
        found = states(server)
        if found["active"] + found["failed"] + found["retired"] >= number:
            return found
        if time.monotonic() > end:
            raise SystemExit(f"after {LONGEST:.0f} s: {dict(found)}")
        time.sleep(EVERY)


def say(sentence: str) -> None:
    """Print at once, also into a file."""
    print(sentence, flush=True)


def measure(asked: argparse.Namespace, folder: Path) -> list[str]:
    """Do it, print the figures, and return what does not hold."""
    server = Server(folder / "data")
    server.start()
    try:
        tokens, authors = prepare(server, asked)
        packed = list(packages(folder / "bots", asked.submissions))
        shares = [tokens[n::BOT_PROCESSES] for n in range(BOT_PROCESSES)]
        with beside(*((bots, server.address, share) for share in shares)):
            time.sleep(5.0)  # until the tables are full
            began = time.monotonic()
            with ThreadPoolExecutor(asked.authors) as pool:
                given = [packed[n :: asked.authors] for n in range(asked.authors)]
                received = set[int]().union(*pool.map(partial(submit, server), authors, given))
            say(f"{asked.submissions} packages received in {time.monotonic() - began:.1f} s")
            half = wait_until_ended(server, asked.submissions // 2)
            server.end(signal.SIGKILL)
            say(f"killed after {time.monotonic() - began:.0f} s with {dict(half)}")
            say_verdicts(server)
            server.start()
            found = wait_until_ended(server, asked.submissions)
            say(f"all ended after {time.monotonic() - began:.0f} s: {dict(found)}")
            problems = check(server, found, received)
            server.end(signal.SIGTERM)
    finally:
        server.end(signal.SIGKILL)
        sys.stderr.write(server.errors())
    return problems + say_verdicts(server)


def say_verdicts(server: Server) -> list[str]:
    """Print what the records of a server that has ended hold against the bots of the tables."""
    seen = verdicts_of(server.url)
    against = f"faults: {dict(seen.faults)}, forfeits: {seen.forfeits}"
    slowest = max(seen.milliseconds, default=0.0)
    say(f"{len(seen.milliseconds):,} decisions at the tables, slowest {slowest:.0f} ms, {against}")
    return [against] if seen.faults or seen.forfeits else []


def check(server: Server, found: Counter[str], received: set[int]) -> list[str]:
    """Return what is wrong with the submissions."""
    number = len(received)
    failing = len(range(0, number, BROKEN))
    problems = []
    if found != {"active": number - failing, "failed": failing}:
        problems.append(f"{number - failing} should be active and {failing} have failed")
    with server.client(server.organiser) as client:
        listed = {each["id"] for each in client.submissions(AUTHORS)}
        problems += [f"submission {id_} is lost" for id_ in sorted(received - listed)]
        problems += [
            f"submission {id_} has no log"
            for id_ in sorted(listed)
            if not any(report["log"] for report in client.reports(id_))
        ]
    return problems


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=positive, default=50)
    parser.add_argument("--authors", type=positive, default=5)
    parser.add_argument("--tables", type=positive, default=20)
    with tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
        (Path(folder) / "data").mkdir(mode=0o700)
        (Path(folder) / "bots").mkdir()
        problems = measure(parser.parse_args(), Path(folder))
    for problem in problems:
        print(f"NOT AS IT SHOULD BE: {problem}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
