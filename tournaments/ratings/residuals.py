"""The points of each seat at one kind of table, beside what the fit expects of its entrant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tournaments.model import Result, TableKind
from tournaments.ratings.figures import points
from tournaments.ratings.fit import Fit, expected_points
from tournaments.ratings.likelihood import Floats, Indices

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """The matches of one kind of table, a row each; a column is a seat."""

    kind: TableKind
    entrants: Indices
    """Who sat there: numbers of the fit."""
    skills: Floats
    nu: float
    """The weight of a tie in the fit."""
    points: Floats
    expected: Floats
    """The share of its opponents that the fit expects it to leave below."""
    sets: Indices
    """The set of each match, numbered from 0 in the order in which they begin."""
    is_duplicate: Bools
    """Whether each match has the deal of its set."""

    @classmethod
    def of(cls, kind: TableKind, results: Sequence[Result], fit: Fit) -> Residuals:
        """Compare results of one kind of table with the fit of the same results."""
        number = {name: n for n, name in enumerate(fit.entrants)}
        sets: dict[str, int] = {}
        entrants = np.array([[number[name] for name in each.entrants] for each in results])
        skills = fit.skills[entrants]
        return cls(
            kind=kind,
            entrants=entrants,
            skills=skills,
            nu=fit.nu,
            points=np.array([points(each.places) for each in results]),
            expected=expected_points(skills, fit.nu),
            sets=np.array([sets.setdefault(each.set_id, len(sets)) for each in results]),
            is_duplicate=np.array([each.duplicate for each in results]),
        )

    @property
    def count(self) -> int:
        """How many sets there are."""
        return int(self.sets.max()) + 1

    @property
    def beyond(self) -> Floats:
        """The points less the expected ones."""
        return self.points - self.expected

    @property
    def seat_effects(self) -> Floats:
        """The mean points of each seat beyond the expected ones."""
        effects: Floats = self.beyond.mean(axis=0)
        return effects

    def by_set(self, values: Floats) -> Floats:
        """Add up the rows of each set."""
        sums = np.zeros((self.count, *values.shape[1:]))
        np.add.at(sums, self.sets, values)
        return sums
