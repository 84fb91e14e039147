"""A position while a move is carried out: the fields of a state that can be assigned.

``apply`` copies a state into a table, the functions of the course of the game assign to it, and
``state`` makes the next state. Every value in it is as immutable as in a state.
"""

from __future__ import annotations

from typing import TypeVar

from engine.festo.state import State
from engine.game import Event, Seat

T = TypeVar("T")


class Table:
    """The fields of a state, and the events since."""

    __slots__ = (*State._fields, "happened")

    def __init__(self, state: State) -> None:
        (
            self.setup,
            self.ahead,
            self.round,
            self.phase,
            self.decision,
            self.seat,
            self.first,
            self.reserves,
            self.markets,
            self.shelves,
            self.locks,
            self.cubes,
            self.helpers,
            self.discs,
            self.helpers_at,
            self.discs_at,
            self.laid,
            self.buffet,
            self.tokens,
            self.stock,
            self.dishes,
            self.points,
            self.dice,
            self.events,
            self.placing,
            self.spot,
            self.order,
            self.waiting,
            self.taking,
            self.rewarded,
            self.paying,
            self.passed,
        ) = state
        self.happened: list[Event] = []

    def state(self) -> State:
        """Return the state that the table shows now."""
        return tuple.__new__(
            State,
            (
                self.setup,
                self.ahead,
                self.round,
                self.phase,
                self.decision,
                self.seat,
                self.first,
                self.reserves,
                self.markets,
                self.shelves,
                self.locks,
                self.cubes,
                self.helpers,
                self.discs,
                self.helpers_at,
                self.discs_at,
                self.laid,
                self.buffet,
                self.tokens,
                self.stock,
                self.dishes,
                self.points,
                self.dice,
                self.events,
                self.placing,
                self.spot,
                self.order,
                self.waiting,
                self.taking,
                self.rewarded,
                self.paying,
                self.passed,
            ),
        )

    def seats_from(self, seat: Seat) -> tuple[Seat, ...]:
        """Return all seats in clockwise order from one of them."""
        return CLOCKWISE[self.setup.seats][seat]


CLOCKWISE = {
    n: tuple(tuple(Seat((first + i) % n) for i in range(n)) for first in range(n))
    for n in range(2, 6)
}
"""``CLOCKWISE[seats][first]``: all seats in order from that one."""


def with_item(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return the tuple with one item replaced; by way of a list, which is the fastest."""
    changed = list(items)
    changed[index] = item
    return tuple(changed)


def add(counts: tuple[int, ...], index: int, number: int) -> tuple[int, ...]:
    """Return the numbers with one of them changed."""
    changed = list(counts)
    changed[index] += number
    return tuple(changed)


def add_all(counts: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers with others added to the first of them."""
    changed = list(counts)
    for index, number in enumerate(others):
        changed[index] += number
    return tuple(changed)


def take_away(counts: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers with others taken from the first of them."""
    changed = list(counts)
    for index, number in enumerate(others):
        changed[index] -= number
    return tuple(changed)
