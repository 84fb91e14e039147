"""Measure how fast peer card-game environments from PyPI play at random on one core.

The peers live in a virtual environment of their own, `.venv-peers/` in the project root, made
on first use; remove that directory to start afresh. Each measurement runs in a fresh process.

A step is one decision of one player, forced ones included: every call that hands the environment
a player's action. Chance nodes, and the empty steps PettingZoo asks of finished players, are not
counted, but the time they take is.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

PINS = {
    "absl-py": "2.5.1",
    "attrs": "26.1.0",
    "certifi": "2026.10.18",
    "charset-normalizer": "3.5.2",
    "cloudpickle": "3.1.2",
    "farama-notifications": "0.0.6",
    "gymnasium": "1.4.0",
    "idna": "3.20",
    "jsonschema": "4.26.0",
    "jsonschema-specifications": "2025.9.1",
    "kaggle-environments": "1.33.2",
    "ml-collections": "1.1.0",
    "numpy": "2.4.6",
    "open_spiel": "2.0.2",
    "pettingzoo": "1.26.1",  # 1.27.0 dropped gin rummy
    "pygame-ce": "2.5.8",
    "pyyaml": "6.0.3",
    "referencing": "0.37.0",
    "requests": "2.34.2",
    "rlcard": "1.2.0",
    "rpds-py": "2026.9.1",
    "scipy": "1.17.1",
    "termcolor": "3.3.0",
    "typing-extensions": "4.16.0",
    "urllib3": "2.8.0",
}

NEEDS = {
    "rlcard": ("numpy", "termcolor"),
    "pettingzoo": (
        "rlcard",
        "numpy",
        "termcolor",
        "gymnasium",
        "cloudpickle",
        "farama-notifications",
        "typing-extensions",
        "pygame-ce",
    ),
    "open_spiel": ("numpy", "scipy", "absl-py", "attrs", "ml-collections", "pyyaml"),
    "kaggle-environments": (
        "numpy",
        "jsonschema",
        "jsonschema-specifications",
        "referencing",
        "rpds-py",
        "attrs",
        "requests",
        "certifi",
        "charset-normalizer",
        "idna",
        "urllib3",
        "typing-extensions",
    ),
}
ALONE = {"kaggle-environments"}
"""Installed with what its core needs and no more: all that it names would be 1.6 GB."""

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-peers"
COMPLETE = VENV / "complete"
SEED = 20_240_229
INSTALL_TIMEOUT = 1800.0
PROBE_TIMEOUT = 60.0
WORKER_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class Peer:
    """Describe one game of one peer distribution."""

    name: str
    distribution: str
    pin: str
    game: str


PEERS: tuple[Peer, ...] = (
    Peer("rlcard-gin-rummy", "rlcard", PINS["rlcard"], "gin-rummy"),
    Peer("rlcard-uno", "rlcard", PINS["rlcard"], "uno"),
    Peer("pettingzoo-gin-rummy", "pettingzoo", PINS["pettingzoo"], "gin_rummy_v4"),
    Peer("openspiel-gin-rummy", "open_spiel", PINS["open_spiel"], "gin_rummy"),
    Peer("openspiel-hearts", "open_spiel", PINS["open_spiel"], "hearts"),
    Peer("openspiel-hearts-new-states", "open_spiel", PINS["open_spiel"], "hearts/child"),
    Peer("kaggle-connectx", "kaggle-environments", PINS["kaggle-environments"], "connectx"),
)


class Run(NamedTuple):
    """What a peer did in one run."""

    steps: int
    seconds: float
    cpu: float
    """Seconds of its process, however busy the machine was."""


class PeerError(Exception):
    """Say in one line why a peer cannot be installed or measured."""


def prepare(
    log: Callable[[str], None],
    wanted: Sequence[Peer] = PEERS,
    python: str | Path | None = None,
) -> dict[str, str | None]:
    """Install what is missing and tell, for each peer, why it is not available (None: it is).

    `python` is the interpreter the environment is made with, this one unless given; an existing
    environment of another Python version is then replaced.
    """
    try:
        _make_environment(log, python)
    except PeerError as error:
        log(str(error))
        return {peer.name: str(error) for peer in wanted}
    failures: dict[str, str] = {}
    for distribution in dict.fromkeys(peer.distribution for peer in wanted):
        try:
            _install(distribution, log)
        except PeerError as error:
            log(str(error))
            failures[distribution] = str(error)
    reasons: dict[str, str | None] = {}
    for peer in wanted:
        reason = failures.get(peer.distribution)
        if reason is None:
            try:
                _play(peer, 0.0)
            except PeerError as error:
                reason = str(error)
                log(reason)
        reasons[peer.name] = reason
    return reasons


def measure(name: str, seconds: float) -> Run:
    """Return what a peer does in at least ``seconds`` in a fresh process.

    Raises PeerError, with a one-line reason, when the peer is unknown or its run fails.
    """
    return _play(_find(name), seconds)


def _find(name: str) -> Peer:
    for peer in PEERS:
        if peer.name == name:
            return peer
    known = ", ".join(peer.name for peer in PEERS)
    raise PeerError(f"no peer is called {name!r} (there are: {known})")


def _venv_python() -> Path:
    return VENV / "Scripts" / "python.exe" if os.name == "nt" else VENV / "bin" / "python"


def _run(command: list[str | Path], timeout: float, extra: dict[str, str] | None = None) -> str:
    """Return what a command prints, or raise PeerError with the line that says why it failed."""
    environment = {
        key: value for key, value in os.environ.items() if key not in {"PYTHONHOME", "PYTHONPATH"}
    }
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=environment | (extra or {}),
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PeerError(f"no end after {timeout:.0f} s") from None
    except OSError as error:
        raise PeerError(f"{command[0]}: {error.strerror or error}") from None
    if done.returncode:
        raise PeerError(_last_line(done.stderr) or _last_line(done.stdout) or _ending(done))
    return done.stdout


def _last_line(output: str) -> str:
    """Return the last line that reports an error or, failing that, the last line of all."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error:")]
    unreached = any("(from versions: none)" in line for line in errors)
    hint = " (is the package index out of reach?)" if unreached else ""
    return (errors or lines or [""])[-1] + hint


def _ending(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    return f"ended with status {done.returncode}"


def _version(python: str | Path) -> str:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return _run([python, "-I", "-c", code], PROBE_TIMEOUT).strip()


def _make_environment(log: Callable[[str], None], python: str | Path | None) -> None:
    """Make the virtual environment unless a usable one, of the wanted version, is there."""
    wanted = python or sys.executable
    try:
        version = _version(wanted)
        if _is_usable(version if python else None):
            return
        log(f"making {VENV.name} with Python {version} ...")
        _run([wanted, "-m", "venv", "--clear", VENV], INSTALL_TIMEOUT)
        COMPLETE.touch()
    except (OSError, PeerError) as error:
        raise PeerError(f"{VENV.name} cannot be made: {error}") from None


def _is_usable(version: str | None) -> bool:
    try:
        found = _version(_venv_python())
    except PeerError:
        return False
    return COMPLETE.exists() and version in {None, found}


def _install(distribution: str, log: Callable[[str], None]) -> None:
    pins = {name: PINS[name] for name in (distribution, *NEEDS[distribution])}
    if _is_installed(pins):
        return
    title = f"{distribution} {PINS[distribution]}"
    log(f"installing {title} ...")
    options = ["--no-input", "--disable-pip-version-check"]
    options += ["--no-deps"] if distribution in ALONE else []
    pinned = [f"{name}=={pin}" for name, pin in pins.items()]
    start = time.perf_counter()
    try:
        _run([_venv_python(), "-m", "pip", "install", *options, *pinned], INSTALL_TIMEOUT)
    except PeerError as error:
        raise PeerError(f"{title} does not install: {error}") from None
    log(f"installed {title} in {time.perf_counter() - start:.0f} s")


def _is_installed(pins: dict[str, str]) -> bool:
    code = (
        "import importlib.metadata as m, json, sys;"
        "print(json.dumps({name: m.version(name) for name in sys.argv[1:]}))"
    )
    try:
        found = json.loads(_run([_venv_python(), "-I", "-c", code, *pins], PROBE_TIMEOUT))
    except (PeerError, ValueError):
        return False
    return bool(found == pins)


def _play(peer: Peer, seconds: float) -> Run:
    """Run the peer's worker and return what it says."""
    worker = ["--worker", peer.name, "--seconds", str(seconds)]
    settings = {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYGAME_HIDE_SUPPORT_PROMPT": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONSAFEPATH": "1",
    }
    try:
        output = _run([_venv_python(), __file__, *worker], seconds + WORKER_TIMEOUT, settings)
        report = json.loads(_last_line(output))
        return Run(int(report["steps"]), float(report["seconds"]), float(report["cpu"]))
    except PeerError as error:
        raise PeerError(f"{peer.name} does not run: {error}") from None
    except (KeyError, TypeError, ValueError):
        raise PeerError(f"{peer.name} does not run: its worker printed no figures") from None


def _rlcard(game: str, pick: Callable[[], float]) -> Callable[[], int]:
    env: Any = importlib.import_module("rlcard").make(game, {"seed": SEED})

    def play() -> int:
        steps = 0
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(pick() * len(legal))])
            steps += 1
        env.get_payoffs()
        return steps

    return play


def _pettingzoo(game: str, pick: Callable[[], float]) -> Callable[[], int]:
    flatnonzero: Any = importlib.import_module("numpy").flatnonzero
    env: Any = importlib.import_module(f"pettingzoo.classic.{game}").env()
    env.reset(seed=SEED)

    def play() -> int:
        steps = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = flatnonzero(observation["action_mask"])
            env.step(int(legal[int(pick() * len(legal))]))
            steps += 1
        return steps

    return play


def _openspiel(game: str, pick: Callable[[], float]) -> Callable[[], int]:
    """Load a game all of whose chance nodes are uniform, as those of both games here are.

    With "/child" behind its name decisions make new states, as a pure interface does, instead of
    changing the one that there is; chance nodes still change it.
    """
    name, _, child = game.partition("/")
    new_state: Any = importlib.import_module("pyspiel").load_game(name).new_initial_state

    def play() -> int:
        steps = 0
        state = new_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            action = legal[int(pick() * len(legal))]
            if state.is_chance_node():
                state.apply_action(action)
                continue
            steps += 1
            if child:
                state = state.child(action)
            else:
                state.apply_action(action)
        state.returns()
        return steps

    return play


def _kaggle(game: str, _pick: Callable[[], float]) -> Callable[[], int]:
    """Let two agents play the first column that is free: nothing could think less."""
    env: Any = importlib.import_module("kaggle_environments").make(game)

    def agent(observation: Any, configuration: Any) -> int:
        return int(observation.board[: configuration.columns].index(0))

    def play() -> int:
        env.run([agent, agent])
        return len(env.steps) - 1

    return play


LOADERS = {
    "rlcard": _rlcard,
    "pettingzoo": _pettingzoo,
    "open_spiel": _openspiel,
    "kaggle-environments": _kaggle,
}


def _work(peer: Peer, seconds: float) -> dict[str, str | int | float]:
    """Play whole games, after one to warm up, until the time is over."""
    play = LOADERS[peer.distribution](peer.game, random.Random(SEED).random)
    play()
    steps = games = 0
    elapsed = 0.0
    start, cpu = time.perf_counter(), time.process_time()
    while not games or elapsed < seconds:
        steps += play()
        games += 1
        elapsed = time.perf_counter() - start
    cpu = time.process_time() - cpu
    return {"peer": peer.name, "steps": steps, "seconds": elapsed, "cpu": cpu, "games": games}


def _report_in_one_line(
    kind: type[BaseException], error: BaseException, _traceback: TracebackType | None
) -> None:
    print(f"{kind.__name__}: {' '.join(str(error).split())}", file=sys.stderr)


def _worker_main(name: str, seconds: float) -> int:
    sys.excepthook = _report_in_one_line
    print(json.dumps(_work(_find(name), seconds)))
    return 0


def _log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _table(seconds: float, python: str | None) -> int:
    """Print a row for each peer; the status is 0 when at least one could be measured."""
    status = 1
    reasons = prepare(_log, PEERS, python)
    print(f"{'peer':<28}{'distribution':<30}{'decisions/s':>12}")
    for peer in PEERS:
        try:
            if (reason := reasons[peer.name]) is None:
                run = measure(peer.name, seconds)
                figure = f"{run.steps / run.cpu:>12,.0f}"
                status = 0
            else:
                figure = f"  not available: {reason}"
        except PeerError as error:
            figure = f"  not available: {error}"
        print(f"{peer.name:<28}{f'{peer.distribution} {peer.pin}':<30}{figure}", flush=True)
    return status


def _seconds(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or value < 0:
        raise ValueError
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, or with --worker one peer's figures as a line of JSON."""
    parser = argparse.ArgumentParser(description="Measure peer card-game environments.")
    parser.add_argument(
        "--seconds", type=_seconds, default=5.0, help="length of each run (default: 5)"
    )
    parser.add_argument("--python", help="interpreter to make the environment with")
    parser.add_argument("--worker", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        if options.worker is not None:
            return _worker_main(options.worker, options.seconds)
        return _table(options.seconds, options.python)
    except KeyboardInterrupt:
        _log("interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main())
