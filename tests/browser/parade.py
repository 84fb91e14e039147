"""A league in which much has happened, among bots of different strength: for full pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Final

from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import Question
from referee.model.clock import TimeControl
from referee.transports.in_process import InProcessPlayer
from tests.tournaments.leagues import add_set
from tests.tournaments.web.leagues_with_matches import SERVER, Street, in_folder, plan_of
from tournaments.model import GameSettings, LeagueSettings, ScheduledMatch
from tournaments.replay.document import find_presentation
from tournaments.store import Store
from tournaments.worker import played_match

LEAGUE: Final = "winter"
BOTS: Final = {
    "Copper": ("1.4", 9),
    "Merlin": ("2.0", 7),
    "tea-and-scones": ("0.3", 5),
    "Nettle": ("1.0", 4),
    "half-a-crown": ("5", 3),
    "Old Tom": ("1", 2),
    "fog horn": ("0.1", 1),
}
"""The version of each, and how many of the legal moves it looks at."""
AUTHORS: Final = ("Ada", "Grace", "Barbara", "Frances", "Ada", "Edith", "Grace")
SETTINGS: Final = LeagueSettings(
    "Winter league",
    (
        GameSettings("glastonbury", (2, 3, 4), ("plain", "recipes")),
        GameSettings("kupferkessel", (2, 3), ("plain",)),
        GameSettings("gargon", (3, 4), ("plain",)),
        GameSettings("festo", (2, 3, 4, 5), ("plain", "magic_dishes")),
    ),
    # Nobody looks at a clock here, however slow the machine is.
    time_control=TimeControl(per_move=timedelta(minutes=10)),
)


def parade(folder: Path) -> Street:
    """Make the league, and play its matches in this process."""
    url = in_folder(folder)
    store = Store.open(url)
    street = Street(url, store, store.first_organiser() or "")
    store.create_league(LEAGUE, SETTINGS)
    for author, (name, (version, _)) in zip(AUTHORS, BOTS.items(), strict=True):
        store.enter(LEAGUE, name, author)
        store.see_version(LEAGUE, name, version)
    for game, variant, names in _tables():
        table = [(name, BOTS[name][0]) for name in names]
        for match in add_set(store, LEAGUE, game, variant, table, why="they are close"):
            street.matches[game] = _play(street, match)
    street.count(LEAGUE)
    return street


def _tables() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Return who meets whom: each pair once, and some larger tables."""
    chance = Random("parade")  # noqa: S311  no secret depends on it
    names = tuple(BOTS)
    for n, pair in enumerate(combinations(names, 2)):
        yield "glastonbury", ("plain", "recipes")[n % 2], pair
    for n in range(12):
        yield "glastonbury", ("plain", "recipes")[n % 2], tuple(chance.sample(names, 3 + n % 2))
    for n in range(8):
        yield "kupferkessel", "plain", tuple(chance.sample(names, 2 + n % 2))
    for n in range(4):
        yield "gargon", "plain", tuple(chance.sample(names, 3 + n % 2))
    for n in range(8):
        yield "festo", ("plain", "magic_dishes")[n % 2], tuple(chance.sample(names, 2 + n // 2))


def _play(street: Street, match: ScheduledMatch) -> ScheduledMatch:
    claim = street.store.claim(SERVER, match.id, 600.0)
    assert claim is not None
    plan = plan_of(street.store, claim)
    story = find_presentation(plan.game.spec.name)
    assert story is not None
    chance = Random(match.position)  # noqa: S311  as above

    async def played() -> Any:
        def worth(question: Question, move: Any) -> float:
            """Return how far one is ahead after a move; nothing if others choose at once."""
            if len(plan.game.to_act(table.state)) > 1:
                return 0.0
            after = plan.game.apply(table.state, {question.seat: move}).state
            scores = story.scores(after)
            return scores[question.seat] - sum(scores) / len(scores)

        def choose(question: Question) -> Any:
            looks = BOTS[match.seats[question.seat].entrant][1]
            seen = chance.sample(question.legal, min(looks, len(question.legal)))
            return max(seen, key=lambda move: worth(question, move))

        lag = LagMeter()
        table = Match(plan, [InProcessPlayer(choose) for _ in match.seats], lag)
        try:
            return await table.play()
        finally:
            lag.stop()

    result = asyncio.run(played())
    rated = tuple(seat.rated for seat in match.seats)
    over = played_match(claim, rated, result, 0.0)
    assert street.store.commit(SERVER, [over])
    return street.store.match(match.id)
