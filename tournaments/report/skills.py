"""The skills as dots with intervals, and the groups as bars beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tournaments.ratings import Group, Skill, Table
from tournaments.report.scale import Scale


class Part(StrEnum):
    """Which part of a bar a row shows."""

    ALONE = "alone"
    TOP = "top"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True, slots=True)
class BarPart:
    """What a row shows of the bar of a group."""

    lane: int
    part: Part
    letter: str


@dataclass(frozen=True, slots=True)
class SkillRow:
    """An entrant in the plot; places on the axis are in percent of its length."""

    entrant: str
    skill: Skill
    low: float
    at: float
    high: float
    bars: tuple[BarPart, ...]


@dataclass(frozen=True, slots=True)
class SkillPlot:
    """Those who have played, the best first."""

    scale: Scale
    lanes: int
    rows: tuple[SkillRow, ...]


def skill_plot(table: Table) -> SkillPlot:
    """Lay out the skills of everybody who has played."""
    skills = {line.entrant: line.skill for line in table.standings if line.skill}
    order = [name for group in table.groups for name in group.entrants]
    names = list(dict.fromkeys([*order, *skills]))
    scale = Scale.over(end for skill in skills.values() for end in (skill.low, skill.high))
    lanes = _lanes(table.groups, names)
    rows = [
        SkillRow(
            name,
            skills[name],
            scale.at(skills[name].low),
            scale.at(skills[name].skill),
            scale.at(skills[name].high),
            tuple(
                BarPart(lane, _part(group, name), group.letter)
                for group, lane in zip(table.groups, lanes, strict=True)
                if name in group.entrants
            ),
        )
        for name in names
    ]
    return SkillPlot(scale, max(lanes, default=-1) + 1, tuple(rows))


def _lanes(groups: Sequence[Group], names: Sequence[str]) -> list[int]:
    """Give each group the first lane that is free where it begins."""
    place = {name: n for n, name in enumerate(names)}
    ends: list[int] = []
    lanes = []
    for group in groups:
        start = place[group.entrants[0]]
        lane = next((n for n, end in enumerate(ends) if end < start), len(ends))
        ends[lane : lane + 1] = [place[group.entrants[-1]]]
        lanes.append(lane)
    return lanes


def _part(group: Group, name: str) -> Part:
    if len(group.entrants) == 1:
        return Part.ALONE
    if name == group.entrants[0]:
        return Part.TOP
    return Part.END if name == group.entrants[-1] else Part.MIDDLE
