"""Gargon for people who look at a match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine.game import Event
from engine.gargon.cards import (
    BACKS,
    CARD_NAMES,
    COLOUR_LETTERS,
    COLOUR_NAMES,
    COLOURS,
    PILE_NAMES,
    Card,
    Cards,
    letters,
)
from engine.gargon.moves import Move, Pick, Play
from engine.gargon.rules import Gargon
from engine.gargon.scoring import score_sheets
from engine.gargon.state import (
    BattleChosen,
    Captured,
    Drew,
    Ended,
    HandsOpened,
    Laid,
    LeadLost,
    Lost,
    Passed,
    PileEmptied,
    Revealed,
    RoundBegan,
    Saw,
    State,
    View,
)

_GAME: Final = Gargon()


class GargonStory:
    """How Gargon is told. A card of which only the back is known is written ``R?``."""

    def view(self, view: View) -> Mapping[str, object]:
        """Return what a viewer knows (gargon#8)."""
        return {
            "phase": str(view.phase),
            "round": view.round,
            "turn": view.seat,
            "leader": view.leader,
            "hands": _stacks(_hands(view)),
            "piles": _stacks(view.piles),
            "laid": _stacks(view.laid),
            "pattern": letters(view.pattern),
            "picked": _names(view.picked),
            "drawn": view.drawn,
            "colour": None if view.colour is None else COLOUR_LETTERS[view.colour],
            "losers": list(view.losers),
            "discards": _names(view.discards),
            "captured_counts": list(view.captured_counts),
            "captured": _stacks(view.captured) if view.captured else None,
            "ending": view.ending and str(view.ending),
        }

    def everything(self, state: State) -> Mapping[str, object]:
        """Return a position with the hands, the piles and everything on the table open."""
        return {
            **self.view(_GAME.view(state, None)),
            "hands": _stacks(state.hands),
            "piles": _stacks(state.piles),
            "laid": _stacks(state.laid),
            "pattern": letters(state.pattern),
            "picked": _names(state.picked),
            "captured": _stacks(state.captured),
        }

    def sentence(self, event: Event) -> str:
        """Tell an event in a few words."""
        return _SENTENCES[type(event)](event)

    def covered(self, move: Move) -> str | None:
        """Return how the choice of a pattern or of its cards looks to the others (gargon#4.5)."""
        if isinstance(move, Play):
            return "play"
        return "pick" if isinstance(move, Pick) else None

    def scores(self, state: State) -> Sequence[int]:
        """Score what has been captured so far."""
        return [sheet.total for sheet in score_sheets(state.captured)]


def _hands(view: View) -> Sequence[Cards]:
    """Return every hand: the own one as it is, the others as backs until they are open."""
    if view.hands:
        return view.hands
    return [
        view.hand if seat == view.viewer else _backs(view, seat) for seat in range(view.setup.seats)
    ]


def _backs(view: View, seat: int) -> Cards:
    counts = view.counts[seat * len(COLOURS) : (seat + 1) * len(COLOURS)]
    return tuple(back for back, count in zip(BACKS, counts, strict=True) for _ in range(count))


def _names(cards: Iterable[Card]) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def _stacks(stacks: Iterable[Cards]) -> list[list[str]]:
    return list(map(_names, stacks))


def _revealed(event: Revealed) -> str:
    shown = [
        f"seat {seat} {' '.join(_names(cards))}" for seat, cards in enumerate(event.laid) if cards
    ]
    return f"the cards are turned up: {', '.join(shown)}"


_SENTENCES: Final[Mapping[type[Event], Callable[[Any], str]]] = MappingProxyType(
    {
        RoundBegan: lambda event: f"seat {event.seat} leads a new round",
        LeadLost: lambda event: f"seat {event.seat} has no cards and loses the lead",
        Laid: lambda event: f"seat {event.seat} lays {' '.join(_names(event.cards))}",
        Passed: lambda event: f"seat {event.seat} passes",
        Drew: lambda event: (
            f"seat {event.seat} draws {CARD_NAMES[event.card]} from pile {PILE_NAMES[event.pile]}"
        ),
        Saw: lambda event: f"seat {event.seat} sees that it is {CARD_NAMES[event.card]}",
        PileEmptied: lambda event: f"pile {PILE_NAMES[event.pile]} is empty",
        Revealed: _revealed,
        BattleChosen: lambda event: (
            f"seat {event.seat} chooses the battle of {COLOUR_NAMES[event.colour]}"
        ),
        Captured: lambda event: f"seat {event.seat} captures {CARD_NAMES[event.card]}",
        Lost: lambda event: f"seat {event.seat} loses {CARD_NAMES[event.card]}",
        Ended: lambda event: f"the game ends: {event.ending.replace('_', ' ')}",
        HandsOpened: lambda _: "all hands are opened",
    },
)

PRESENTATION: Final = GargonStory()
