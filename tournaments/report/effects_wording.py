"""Sentences on where one number does not fit, and on what seats and neighbours are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tournaments.ratings import Estimate, Heterogeneity, Table, TableEffects
from tournaments.report import wording

_WHAT: Final = {"seats": "table size", "variant": "variant", "game": "game"}
_WHERE: Final = {"seats": "at tables of", "variant": "in", "game": "in"}
MOST_CYCLES: Final = 3
"""How many cycles are named; the others are counted."""


def dependence(found: Sequence[Heterogeneity]) -> list[str]:
    """State for each finding what skills depend on, and which difference does most."""
    return [_dependence(each) for each in found if each.is_found]


def _dependence(found: Heterogeneity) -> str:
    what, where = _WHAT[found.over], _WHERE[found.over]
    one, other = found.pair
    names = [wording.title(name) if found.over == "game" else name for name in found.differences]
    values = [each.value for each in found.differences.values()]
    numbers = wording.listed([wording.number(value, 2) for value in values])
    all_parts = (
        f"the skill of {one} less that of {other} is {numbers} {where} {wording.listed(names)}"
    )
    only = f"So two entrants are told apart over all matches only if they are so {_each(found)}."
    if not found.is_reversed:
        return (
            f"Skills depend on the {what} ({_chance(found.p)}), most of all between {one} and "
            f"{other}: {all_parts}. {only}"
        )
    best = names[values.index(max(values))]
    worst = names[values.index(min(values))]
    return (
        f"The order depends on the {what} ({_chance(found.p)}): {one} is better than {other} "
        f"{where} {best}, and {other} better than {one} {where} {worst}; {all_parts}. {only}"
    )


def _each(found: Heterogeneity) -> str:
    return "at each table size" if found.over == "seats" else f"in each {_WHAT[found.over]}"


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def cycles(found: Sequence[Sequence[str]]) -> str:
    """Name the cycles that the results support; empty without any."""
    if not found:
        return ""
    named = "; ".join(
        f"{one} beats {other}, {other} beats {third}, and {third} beats {one}"
        for one, other, third in found[:MOST_CYCLES]
    )
    more = len(found) - MOST_CYCLES
    rest = f"; and {wording.count(more, 'other cycle', 'other cycles')}" if more > 0 else ""
    return f"No single number orders these: {named}{rest}."


class EffectRow(NamedTuple):
    """A kind of table, with what its seats and neighbours are worth, as text."""

    title: str
    sets: str
    seats: tuple[str, ...]
    """Points in a hundred, with the 95 % interval."""
    neighbour: str


def effect_rows(effects: Sequence[TableEffects]) -> list[EffectRow]:
    """Write a row for each kind of table."""
    several = len({each.kind.game for each in effects}) > 1
    return [
        EffectRow(
            ", ".join(
                [
                    *([wording.title(each.kind.game)] if several else []),
                    f"tables of {each.kind.seats}",
                    each.kind.variant,
                ]
            ),
            wording.number(each.sets),
            tuple(map(_points, each.seats)),
            _points(each.neighbour) if each.neighbour else wording.NOTHING,
        )
        for each in effects
    ]


def _points(estimate: Estimate) -> str:
    value, low, high = (100 * number for number in estimate)
    return f"{wording.number(value, 1)} ({wording.interval(low, high, 1)})"


def notes(table: Table) -> list[str]:
    """Return the sentences on one table that it needs to be read rightly."""
    return list(filter(None, [*dependence(table.heterogeneity), cycles(table.cycles)]))
