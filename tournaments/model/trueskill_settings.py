"""The parameters of TrueSkill that an organiser may set."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from tournaments.model.errors import InvalidError

WHOLE_HISTORY: Final = "trueskill"
SEQUENTIAL: Final = "trueskill-sequential"
RATINGS: Final = (WHOLE_HISTORY, SEQUENTIAL, "openskill")
"""The names of the rating systems; the first is the default."""

TRUESKILL_BOUNDS: Final = {
    "mu": (-10_000, 10_000),
    "sigma": (0.001, 10_000),
    "beta": (0.001, 10_000),
    "tau": (0, 10_000),
}
WIDEST: Final = 100
"""How many times larger sigma may be than beta, or beta than sigma: beyond it, either the prior or
the results would say nothing."""


@dataclass(frozen=True, slots=True)
class TrueSkillSettings:
    """The scale of the ratings."""

    mu: float = 25.0
    """The mean of the prior."""
    sigma: float = 25 / 3
    """The standard deviation of the prior."""
    beta: float = 25 / 6
    """The standard deviation of a performance about the skill."""
    tau: float = 0.0
    """By how much a skill may change between two matches: variances grow by its square."""

    def as_dict(self) -> dict[str, float]:
        """Return them as JSON values."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def problem(self, rating: str) -> str | None:
        """Say why a competition cannot be rated so; None if it can."""
        if self == TrueSkillSettings():
            return None
        if not rating.startswith("trueskill"):
            return f'[trueskill] has no effect with rating = "{rating}": leave it out.'
        for name, (low, high) in TRUESKILL_BOUNDS.items():
            if not low <= getattr(self, name) <= high:
                return f"{name} of [trueskill] must be a number from {low} to {high}."
        if not 1 / WIDEST <= self.sigma / self.beta <= WIDEST:
            return f"sigma and beta of [trueskill] may differ by a factor of {WIDEST} at most."
        if self.tau and rating != SEQUENTIAL:
            return (
                f'tau goes with rating = "{SEQUENTIAL}" alone: "{rating}" rates all matches at '
                "once, so that no match is older than another."
            )
        return None

    def check(self, rating: str) -> None:
        """Refuse what cannot be rated; raises InvalidError."""
        problem = self.problem(rating)
        if problem:
            raise InvalidError(problem)
