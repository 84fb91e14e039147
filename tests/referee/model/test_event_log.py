"""Each seat receives the events that it may see, once."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game import Event, Seat, event
from referee.model.event_log import EventLog, flatten


@event
class Shown(Event):
    """Everybody sees it."""

    number: int


@event
class Whispered(Event):
    """One seat hears it."""

    number: int
    seat: Seat

    def visible_to(self, viewer: Seat | None) -> bool:
        """Tell whether that seat, or a spectator, may know this."""
        return viewer == self.seat


ME, YOU = Seat(0), Seat(1)
FIRST, SECOND = [Shown(1), Shown(2)], [Shown(3)]
MIXED = [Shown(4), Whispered(5, ME), Shown(6)]
SECRET = [Whispered(7, ME)]


def happenings(*all_events: Sequence[Event]) -> EventLog:
    noted = EventLog()
    for events in all_events:
        noted.add(events)
    return noted


def test_what_everybody_may_see_is_the_same_value_for_all_seats() -> None:
    noted = happenings(FIRST, SECOND)
    for seat in (ME, YOU):
        news = noted.since(0, seat)
        assert [id(batch.events) for batch in news] == [id(FIRST), id(SECOND)]
        assert news == noted.since(0, ME)


def test_what_a_seat_may_not_see_is_left_out() -> None:
    noted = happenings(FIRST, MIXED)
    assert flatten(noted.since(0, ME)) == [*FIRST, *MIXED]
    assert flatten(noted.since(0, YOU)) == [*FIRST, Shown(4), Shown(6)]


def test_what_is_public_beside_a_secret_is_the_same_value_for_all_seats_too() -> None:
    noted = happenings(MIXED)
    mine, yours = ([id(piece) for piece in noted.since(0, seat)] for seat in (ME, YOU))
    assert len(mine) == 3
    assert yours == [mine[0], mine[2]]


def test_a_secret_of_another_seat_is_not_even_an_empty_piece_of_news() -> None:
    noted = happenings(SECRET, FIRST)
    assert [batch.events for batch in noted.since(0, YOU)] == [FIRST]
    assert flatten(noted.since(0, ME)) == [*SECRET, *FIRST]


def test_nothing_is_told_twice() -> None:
    noted = happenings(FIRST, SECRET)
    told = len(noted)
    noted.add(SECOND)
    assert flatten(noted.since(told, YOU)) == SECOND
    assert noted.since(len(noted), YOU) == []


def test_a_decision_that_led_to_nothing_is_no_news() -> None:
    noted = happenings(FIRST, [], SECOND)
    assert [batch.events for batch in noted.since(0, ME)] == [FIRST, SECOND]
