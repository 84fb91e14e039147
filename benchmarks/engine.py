"""Random games of our engine, and of peers, on one core.

A decision is what any program does with the pure interface: list the legal moves, choose one,
apply it, keep the new state. Deals and outcomes are included. A second is one of the process, for
us and for the peers, so that whatever else the machine does decides nothing.
"""

from __future__ import annotations

import random
import time
from functools import partial

from benchmarks import peers
from benchmarks.measuring import Asked, Chapter, Contestant, NotMeasuredError, Sample, progress
from engine import GAMES, AnyGame, Options, seed_from_text

HEADLINE = "glastonbury, 4 seats"
RATE = "decisions/s"
QUICK = ("glastonbury, 4 seats", "kupferkessel, 3 seats", "gargon, 4 seats")
"""What a short run measures; a full one measures every kind of every game."""
GOALS = {
    "openspiel-hearts": (1.0, "engine at least as fast as OpenSpiel hearts driven from Python"),
    "openspiel-gin-rummy": (5.0, "engine 5 times OpenSpiel gin rummy"),
    "rlcard-gin-rummy": (10.0, "engine 10 times RLCard gin rummy"),
    "rlcard-uno": (10.0, "engine 10 times RLCard UNO"),
}


def measure(asked: Asked) -> Chapter:
    """Measure our games and the peers in turn."""
    chapter = Chapter(
        "engine",
        "Engine: random play on one core",
        "Decisions per second of random play through the pure interface, and of peers from Python.",
    )
    contestants = _ours(asked)
    if asked.peers:
        contestants |= _theirs(asked, chapter)
    chapter.take_turns(contestants, asked.how_often(5, 9))
    for name in contestants:
        if name in chapter.rows and name != HEADLINE:
            ratio = chapter.compare(HEADLINE, name, RATE)
            if name in GOALS:
                wanted, text = GOALS[name]
                chapter.want(text, ratio, least=wanted)
    return chapter


def _ours(asked: Asked) -> dict[str, Contestant]:
    seconds = asked.seconds(0.3, 1.0)
    found: dict[str, Contestant] = {}
    for game in GAMES.values():
        for kind in game.spec.kinds():
            variants = [o.name for o in game.spec.options_offered if o.variant and kind[o.name]]
            name = ", ".join([game.spec.name, f"{kind.seats} seats", *variants])
            if asked.full or name in QUICK:
                found[name] = partial(_play, game, kind, seconds)
    return found


def _theirs(asked: Asked, chapter: Chapter) -> dict[str, Contestant]:
    wanted = [peer for peer in peers.PEERS if asked.full or peer.name in GOALS]
    wanted = [peer for peer in wanted if peer.distribution != "kaggle-environments"]
    reasons = peers.prepare(progress, wanted)
    chapter.not_measured |= {name: why for name, why in reasons.items() if why}
    seconds = asked.seconds(0.3, 1.0)
    return {
        peer.name: partial(_peer, peer.name, seconds)
        for peer in wanted
        if reasons[peer.name] is None
    }


def _peer(name: str, seconds: float) -> Sample:
    """Measure a peer once, in a process of its own."""
    try:
        run = peers.measure(name, seconds)
        return {RATE: run.steps / run.cpu}
    except peers.PeerError as error:
        raise NotMeasuredError(str(error)) from None


def _play(game: AnyGame, kind: Options, seconds: float) -> Sample:
    return {RATE: decisions_per_second(game, kind, seconds)}


def decisions_per_second(game: AnyGame, kind: Options, seconds: float) -> float:
    """Play random games for so long, and count."""
    seeds = [seed_from_text(str(number)) for number in range(1000)]
    chance = random.Random(1).random
    games = decisions = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
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
