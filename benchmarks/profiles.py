"""Where the worker of a tournament spends its time, seen by a sampling profiler.

python -m benchmarks.profiles                        this tree, over pipes and over gRPC
python -m benchmarks.profiles --tree /path/to/older  that one before this one

Plays a tournament of four trivial bots at tables of four by `highstreet tournament run` with one
worker, under py-spy, and shares the samples of the worker out among its parts: each sample belongs
to the innermost function that is in one of them. Samples of a thread that waits are left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.measuring import NotMeasuredError, positive, progress, table
from benchmarks.tournament import league

HERE = Path(__file__).parent.parent
TRANSPORTS = ("pipe", "grpc")
START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from tournaments.cli import main; "
WORKER = "work (tournaments/worker/worker.py"
POLLER = "Thread.run (threading.py"
FRAME = re.compile(r"\((?P<file>[^():]+)(:\d+)?\)$")

PARTS: Mapping[str, tuple[str, ...]] = {
    "rules (engine)": ("engine/",),
    "messages (codec)": ("referee/wire/", "protobuf/", "json/"),
    "record": ("referee/record",),
    "table, clock, inbox": (
        "referee/match/match.py",
        "referee/model/clock.py",
        "referee/match/player.py",
    ),
    "transport": (
        "referee/transports/pipe.py",
        "referee/sandbox/process.py",
        "referee/transports/grpc_server.py",
    ),
    "worker of the runner": ("tournaments/", "referee/transports/bot.py", "multiprocessing/"),
    "event loop": ("asyncio/", "referee/runtime/event_loop.py", "referee/match/lag.py"),
}
"""Which files belong to which part."""
THREADS = "gRPC's own thread"
OTHER = "the rest"


def shares(lines: Iterable[str]) -> dict[str, float]:
    """Return the share of each part in the samples of workers, in percent.

    A line is a stack from the outermost function to the innermost, and how often it was seen.
    """
    seen: Counter[str] = Counter()
    for line in lines:
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        if any(frame.startswith(WORKER) for frame in frames):
            seen[_part(frames)] += int(count)
        elif frames[-1].startswith(POLLER):
            seen[THREADS] += int(count)
    total = seen.total()
    return {part: seen[part] / total * 100 for part in (*PARTS, THREADS, OTHER) if seen[part]}


def _part(frames: list[str]) -> str:
    for frame in reversed(frames):
        found = FRAME.search(frame)
        file = found["file"] if found else ""
        for part, prefixes in PARTS.items():
            if file.startswith(prefixes):
                return part
    return OTHER


def profile(tree: Path, transport: str, matches: int) -> dict[str, float]:
    """Play a tournament under the profiler and return the share of each part."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw, file = folder / "raw", league(folder, transport, matches)
        play = ("tournament", "run", str(file), "--out", str(folder / "out"), "--workers", "1")
        spy = Path(sys.executable).with_name("py-spy")
        command = [str(spy), "record", "--subprocesses", "--rate", "200", "--format", "raw"]
        command += ["--output", str(raw), "--", sys.executable, "-c", START + "main()", str(tree)]
        try:
            done = subprocess.run([*command, *play], capture_output=True, text=True, check=False)
        except OSError as error:
            raise NotMeasuredError(f"py-spy does not run: {error.strerror}") from None
        if not raw.exists():
            raise NotMeasuredError(f"the tournament did not run: {done.stderr[-300:]}")
        found = shares(raw.read_text(encoding="utf-8").splitlines())
        if not found:
            raise NotMeasuredError(f"no worker was seen: {(done.stdout + done.stderr)[-300:]}")
        return found


def checkout(text: str) -> Path:
    """Read from the command line where another checkout is."""
    if not (Path(text) / "tournaments" / "cli").is_dir():
        raise argparse.ArgumentTypeError(f"there is no checkout of Highstreet in {text}")
    return Path(text)


def main() -> int:
    """Profile every tree over both transports, and print a table."""
    lines = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser("python -m benchmarks.profiles", description=lines[0])
    parser.add_argument("--matches", type=positive, default=400, help="of each tournament (400)")
    parser.add_argument(
        "--tree",
        type=checkout,
        action="append",
        default=[],
        metavar="DIR",
        help="an older checkout",
    )
    asked = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    try:
        for tree in (*asked.tree, HERE):
            for transport in TRANSPORTS:
                heading = f"{tree.name}, {transport} %"
                progress(heading)
                found[heading] = profile(tree.resolve(), transport, asked.matches)
    except NotMeasuredError as error:
        print(error, file=sys.stderr)
        return 1
    rows = [
        [part, *(f"{column.get(part, 0):.1f}" for column in found.values())]
        for part in (*PARTS, THREADS, OTHER)
    ]
    print(table(["part of the worker", *found], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
