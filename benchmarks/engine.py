"""Measure random games of our engine, and of peers, on one core in one run.

    python -m benchmarks.engine [--rounds 7] [--seconds 0.5] [--no-peers] [--json FILE]

A decision is what any program does with the pure interface: list the legal moves, choose one,
apply it, keep the new state. Deals and outcomes are included. Rounds are interleaved (ours, peer,
ours, peer ...) and medians are compared, because these machines are noisy.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.peers import PEERS, PeerError, measure, prepare
from engine import GAMES, AnyGame, Options, __version__, seed_from_text

HEADLINE = "glastonbury, 4 seats"


def decisions_per_second(game: AnyGame, kind: Options, seconds: float) -> float:
    """Play random games for so long, and count."""
    seeds = [seed_from_text(str(number)) for number in range(1000)]
    chance = random.Random(1).random
    games = decisions = 0
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        state = game.deal(kind, seeds[games % len(seeds)]).state
        while seats := game.to_act(state):
            moves = {}
            for seat in seats:
                legal = game.legal_moves(state, seat)
                moves[seat] = legal[int(chance() * len(legal))]
                decisions += 1
            state = game.apply(state, moves).state
        game.outcome(state)
        games += 1
    return decisions / spent


def contestants(*, with_peers: bool) -> tuple[dict[str, Callable[[float], float]], dict[str, str]]:
    """Return what can be measured, and why something cannot."""
    found: dict[str, Callable[[float], float]] = {}
    missing: dict[str, str] = {}
    for game in GAMES.values():
        for kind in game.spec.kinds():
            variants = [o.name for o in game.spec.options_offered if o.variant and kind[o.name]]
            name = ", ".join([game.spec.name, f"{kind.seats} seats", *variants])
            found[name] = partial(decisions_per_second, game, kind)
    if with_peers:
        reasons = prepare(lambda line: print(line, file=sys.stderr))
        for peer in PEERS:
            reason = reasons[peer.name]
            if reason is None:
                found[peer.name] = partial(measure, peer.name)
            else:
                missing[peer.name] = reason
    return found, missing


def run(rounds: int, seconds: float, *, with_peers: bool) -> dict[str, Any]:
    """Measure everything in turn, several times, and return the figures."""
    found, missing = contestants(with_peers=with_peers)
    samples: dict[str, list[float]] = {name: [] for name in found}
    for number in range(1, rounds + 1):
        for name, take in list(found.items()):
            print(f"round {number} of {rounds}: {name}", file=sys.stderr)
            try:
                samples[name].append(take(seconds))
            except PeerError as error:
                missing[name] = str(error)
                del found[name], samples[name]
    ours = median(samples[HEADLINE])
    return {
        "highstreet": __version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "headline": HEADLINE,
        "decisions_per_second": {
            name: {
                "median": round(median(values)),
                "lowest": round(min(values)),
                "highest": round(max(values)),
                "headline_ratio": round(ours / median(values), 2),
            }
            for name, values in samples.items()
        },
        "not_measured": missing,
    }


def print_table(result: dict[str, Any]) -> None:
    """Print the figures for a person."""
    figures, missing = result["decisions_per_second"], result["not_measured"]
    print(f"{'random play, one core':<32}{'decisions/s':>12}{'range':>20}   {HEADLINE} is")
    for name, row in figures.items():
        spread = f"{row['lowest']:,} to {row['highest']:,}"
        print(f"{name:<32}{row['median']:>12,}{spread:>20}   {row['headline_ratio']:.2f} x")
    for name, reason in missing.items():
        print(f"{name:<32}{'not measured':>12}: {reason}")


def main() -> int:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each is measured")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each time")
    parser.add_argument("--no-peers", action="store_true", help="measure only our own engine")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    asked = parser.parse_args()
    if asked.rounds < 1 or asked.seconds <= 0:
        parser.error("--rounds must be at least 1 and --seconds positive")
    try:
        result = run(asked.rounds, asked.seconds, with_peers=not asked.no_peers)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    print_table(result)
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
