"""The search bot in the games besides Glastonbury: it knows what it can, and beats greedy."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from engine.game import Options, Seat
from engine.registry import find_game
from engine.shuffle import seed_from_text
from tests.sample_bots import games
from tests.sample_bots.wire import Wire

NEW = ("kupferkessel", "gargon", "festo")


def _kinds() -> Iterator[Any]:
    for game in NEW:
        spec = find_game(game).spec
        for options in spec.kinds():
            on = [option.name for option in spec.options_offered if options[option.name] is True]
            yield pytest.param(game, options, id="-".join([game, str(options.seats), *on]))
    events = find_game("festo").spec.options(3, {"events": "reconstructed"})
    yield pytest.param("festo", events, id="festo-events")


def search_bot() -> Any:
    return games.load("search_bot").SearchBot()


def greedy_bot() -> Any:
    return games.load("greedy_bot").GreedyBot()


@pytest.fixture(autouse=True)
def fixed_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make chance repeatable, and the search short, by a clock that every look puts on."""
    ticks = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: next(ticks) / 1000)
    monkeypatch.setattr(games.load("searching"), "time", clock)
    monkeypatch.setenv("BOT_SEED", "7")
    monkeypatch.setenv("BOT_SECONDS", "0.004")


def _check_kupferkessel(state: Any, seat: Seat, player: Any) -> None:
    guess = player.dealt(*player.known())
    assert sorted(guess.pile) == sorted(state.pile)
    if state.setup.recipes is not None:
        assert guess.setup.recipes[seat] == state.setup.recipes[seat]
        own = {recipe for recipes in guess.setup.recipes for recipe in recipes}
        assert len(own) == sum(map(len, state.setup.recipes)), "nobody has a recipe of another"
    recipes = state.setup.recipes
    assert guess._replace(pile=(), setup=guess.setup._replace(recipes=recipes)) == state._replace(
        pile=()
    )


def _check_gargon(state: Any, seat: Seat, player: Any) -> None:
    """Check that colours and own cards are right, and that no card is there twice."""
    guess = player.dealt()
    game = find_game("gargon")
    for viewer in (None, seat):
        assert game.view(guess, viewer) == game.view(state, viewer)
    everything = [
        sorted(card for cards in (*s.hands, *s.piles, *s.laid) for card in cards)
        for s in (guess, state)
    ]
    assert everything[0] == everything[1]
    assert guess.captured == state.captured


def _check_festo(state: Any, _seat: Seat, player: Any) -> None:
    """Check that everything is right but the order of what is to come."""
    guess = player.dealt(player.known())
    assert [sorted(pile) for pile in guess.ahead.piles] == [
        sorted(pile) for pile in state.ahead.piles
    ]
    assert len(guess.ahead.dice) == len(state.ahead.dice)
    assert len(guess.ahead.events) == len(state.ahead.events)
    assert guess._replace(ahead=state.ahead) == state


CHECKS = {"kupferkessel": _check_kupferkessel, "gargon": _check_gargon, "festo": _check_festo}


@pytest.mark.parametrize(("game", "options"), list(_kinds()))
def test_search_knows_what_can_be_known(game: str, options: Options) -> None:
    """And every answer is legal: ``play`` fails on one that is not."""

    def compare(state: Any, seat: Seat, bot: Any, _move: Any) -> None:
        player = bot.player
        if player.searches():
            CHECKS[game](state, seat, player)
            seen.add(str(state.phase))

    seen: set[str] = set()
    bots = [search_bot() for _ in range(options.seats)]
    games.play(bots, options, seed_from_text("3"), watch=compare, spoken=Wire(game))
    assert len(seen) >= 3


@pytest.mark.parametrize(("game", "seats", "least"), [("kupferkessel", 2, 6)])
def test_search_beats_greedy(
    game: str, seats: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 8 games, with 60 looks at the clock a decision."""
    monkeypatch.setenv("BOT_SECONDS", "0.06")
    options, won = find_game(game).spec.options(seats), 0
    for seed in range(8):
        bots = [greedy_bot() for _ in range(seats)]
        bots[seed % seats] = search_bot()
        result = games.play(bots, options, seed_from_text(str(seed)), spoken=Wire(game))
        won += result.places[seed % seats] == 1
    assert won >= least
