"""TrueSkill over the whole history at once: the order of the matches makes no difference.

**The model** is that of TrueSkill with tau 0: skills are normal, a performance is normal about the
skill with standard deviation beta, and the places of a match say which of two neighbours performed
better, or that they were within the draw margin. TrueSkill rates one match after the other, each
with what the earlier ones said. Here every match keeps its messages to the skills of its players,
and all matches are rated again, each with what all others say, until nothing changes (expectation
propagation). For one match that is TrueSkill. Players who are level are compared in every order,
so that neither seats nor names matter.

**Means.** Given the messages of the results, the means solve a linear system; conjugate gradients
find them at once. With messages alone, groups that seldom meet would need thousands of rounds. If
the changes do not become smaller, steps are shortened.

**Sigma** is the larger of two deviations: the one that the messages give, and the one of the linear
system with respect to the mean of all linked entrants, which is larger for entrants with few links.
Both take matches for independent, which those of a duplicate set are not. So the pull of each set
on each skill is compared with the variance that the model predicts. If it varies more, sigma grows
by the root of the ratio, which is one number for all entrants. Sigma never becomes smaller.

**Versions** of a league: see ``rating_fold``. A later version has the mu of the one before it as
the mean of its prior. Its matches on probation are rated after a first solution without them, with
the others as they are there; they send messages to it alone. Then all is solved again with these
messages, which stay as they are: if they moved with the others, they would move the whole field.

docs/adr/0015-a-headline-without-order.md has the reasons and the measurements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tournaments.model import Result, TrueSkillSettings
from tournaments.ratings.history_tables import History, read_history, sums
from tournaments.ratings.likelihood import Floats, Pairs, solved
from tournaments.ratings.standings import Rating
from tournaments.ratings.table_messages import TableMessages
from tournaments.ratings.trueskill_update import draw_margin

DECIMALS: Final = 6
PRECISION: Final = 1e-10
"""The iteration ends when no mean and no relative precision changes by more than this."""
MOST_ROUNDS: Final = 1000
SWEEPS: Final = 2
"""How often messages go down and up the places of a match in each round."""
LONGEST_STEP: Final = 2.0
"""Of a mean in one round, in units of beta."""
PATIENCE: Final = 8
"""After this many rounds without a smaller change, steps are halved."""
SHORTEST: Final = 1 / 64
PRIOR_FREEDOM: Final = 5.0
"""How many degrees of freedom speak for independent matches before any result."""
MOST_LINKED: Final = 1000
"""Up to this many versions, sigma includes the links between them, at the cost of their cube."""


def rate_history(
    results: Sequence[Result], draws: Mapping[str, float], settings: TrueSkillSettings
) -> dict[str, Rating]:
    """Return the rating of each version that has played; ``draws`` has the probability by game."""
    if not results:
        return {}
    history, solution = _solved(results, draws, settings)
    return {
        name: Rating(round(mu, DECIMALS), round(sigma, DECIMALS))
        for name, mu, sigma in zip(
            history.names,
            solution.mu.tolist(),
            _deviations(history, solution, settings).tolist(),
            strict=True,
        )
    }


def message_sigmas(
    results: Sequence[Result], draws: Mapping[str, float], settings: TrueSkillSettings
) -> dict[str, float]:
    """Return the deviations that the messages alone give: too small, but those of TrueSkill."""
    history, solution = _solved(results, draws, settings)
    return dict(zip(history.names, (solution.precision**-0.5).tolist(), strict=True))


def _solved(
    results: Sequence[Result], draws: Mapping[str, float], settings: TrueSkillSettings
) -> tuple[History, _Solution]:
    margins = {game: draw_margin(share, settings.beta) for game, share in draws.items()}
    history, trials = read_history(results, margins)
    solution = _Solver(history, settings).solve()
    if trials.rows:
        tried = _Solver(trials, settings, known=solution).solve()
        solution = _Solver(history, settings, heard=tried.heard(trials)).solve()
    return history, solution


@dataclass(frozen=True, slots=True, eq=False)
class _Links:
    """The linear system of the means: prior, tables, and messages to one player alone."""

    pairs: Pairs
    weights: Floats
    """Of each pair: how firmly their results hold the two together."""
    alone: Floats
    """Of each player: its prior, and what it hears at tables where it is on probation."""
    diagonal: Floats

    def times(self, vector: Floats) -> Floats:
        """Return the product with a vector."""
        pulls = self.weights * self.pairs.differences(vector)
        return self.alone * vector + self.pairs.sums(pulls, -1)

    def inverse(self) -> Floats:
        """Return the inverse as a square."""
        square: Floats = np.diag(self.diagonal[:, 0])
        square[self.pairs.first, self.pairs.second] = -self.weights[:, 0]
        square[self.pairs.second, self.pairs.first] = -self.weights[:, 0]
        return np.linalg.inv(square).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Solution:
    mu: Floats
    precision: Floats
    forces: Floats
    """By slot: the pull of a match on the mean of its player."""
    known: Floats
    """By slot: how precisely a match determines the skill of its player, if the others' are known.
    It is also the variance of the pull."""
    messages: Floats
    """By slot: the precision of the message of a match to its player."""
    links: _Links

    def heard(self, history: History) -> Floats:
        """Return all messages to each player as one: its precision, and that times its mean."""
        tau = self.forces + self.messages * self.mu[history.players]
        return np.stack([history.add_up(self.messages), history.add_up(tau)])


class _Solver:
    """Passes messages between matches and players until they settle.

    ``heard`` are messages from elsewhere to each player. With ``known``, players that are not rated
    by a match are as they are there, and so is the mu of the version before another one.
    """

    def __init__(
        self,
        history: History,
        settings: TrueSkillSettings,
        heard: Floats | None = None,
        known: _Solution | None = None,
    ) -> None:
        self._history = history
        self._heard = np.zeros((2, len(history.names))) if heard is None else heard
        self._known = known
        self._prior = settings.sigma**-2
        self._first_mu = settings.mu
        self._longest = LONGEST_STEP * settings.beta
        self._tables = [
            TableMessages(rows.level, rows.margin, settings.beta) for rows in history.rows
        ]
        self._mu = np.full(len(history.names), settings.mu)
        self._precision = self._prior + self._heard[0]
        self._messages = np.zeros(len(history.players))
        """By slot: the precision of the message of a match."""
        self._forces = np.zeros(len(history.players))

    def solve(self) -> _Solution:
        """Return the fixed point."""
        share, waited = 1.0, 0
        change, found = self._round(share)
        best = change
        for _ in range(MOST_ROUNDS):
            if change <= PRECISION:
                break
            change, found = self._round(share)
            waited = 0 if change < best else waited + 1
            best = min(best, change)
            if waited == PATIENCE:
                share, best, waited = max(share / 2, SHORTEST), change, 0
        return found

    def _round(self, share: float) -> tuple[float, _Solution]:
        """Go a share of the way to the new messages; return the whole change."""
        history, players = self._history, self._history.players
        others = self._precision[players] - self._messages
        given = self._mu[players] - self._forces / others
        if self._known is not None:
            others = np.where(history.hears, others, self._known.precision[players])
            given = np.where(history.hears, given, self._known.mu[players])
        squares, messages, tau = self._sent(others, given)
        after = (others * given + tau) / (others + messages)
        forces = others * (after - given) + self._products(squares, after - self._mu[players])
        forces *= history.hears
        links, known = self._links(squares)
        step = self._step(links, forces)
        longest = float(np.abs(step).max())
        step *= min(1.0, self._longest / max(longest, PRECISION))
        forces -= self._products(squares, step[players]) * history.hears
        messages *= history.hears
        precision = self._prior + self._heard[0] + history.add_up(messages)
        change = max(longest, float(np.abs(precision / self._precision - 1).max()))
        self._mu += share * step
        self._precision += share * (precision - self._precision)
        self._messages += share * (messages - self._messages)
        self._forces += share * (forces - self._forces)
        state = self._mu, self._precision, self._forces
        return change, _Solution(*state, known, self._messages, links)

    def _sent(self, others: Floats, given: Floats) -> tuple[list[Floats], Floats, Floats]:
        """Return the precisions of each table as squares, and the messages by slot."""
        skills = np.stack([others, others * given])
        squares, messages, tau = [], np.zeros_like(others), np.zeros_like(others)
        for rows, tables in zip(self._history.rows, self._tables, strict=True):
            sent = tables.send(skills[:, rows.slots], SWEEPS)
            messages += rows.by_slot(sent[0])
            tau += rows.by_slot(sent[1])
            square = tables.precisions()
            one_way = np.flatnonzero(~rows.mutual)
            for table in one_way:
                square[table] = np.diag(sent[0, :, table])
            squares.append(square)
        return squares, messages, tau

    def _products(self, squares: Sequence[Floats], vector: Floats) -> Floats:
        """Return the products of the squares with a vector by slot."""
        product = np.zeros_like(vector)
        for rows, square in zip(self._history.rows, squares, strict=True):
            values = vector[rows.slots]
            pulls = [(square[:, n] * values.T).sum(axis=1) for n in range(len(values))]
            product += rows.by_slot(np.stack(pulls))
        return product

    def _links(self, squares: Sequence[Floats]) -> tuple[_Links, Floats]:
        history = self._history
        known = np.zeros_like(self._forces)
        weights = np.zeros(len(history.pairs.first))
        for rows, square in zip(history.rows, squares, strict=True):
            known += rows.by_slot(np.stack([square[:, n, n] for n in range(len(rows.slots))]))
            for one, other, pair in rows.pairs:
                weight = -square[:, one, other] * rows.share * rows.matches
                weights += sums(pair, weight * rows.mutual, len(weights))
        known *= history.hears
        alone = self._prior + self._heard[0] + history.add_up(known * history.alone)
        column = weights[:, None]
        diagonal = alone[:, None] + history.pairs.sums(column, 1)
        return _Links(history.pairs, column, alone[:, None], diagonal), known

    def _step(self, links: _Links, forces: Floats) -> Floats:
        before = self._history.before
        earlier = self._mu if self._known is None else self._known.mu
        means = np.where(before < 0, self._first_mu, earlier[before])
        heard = self._heard[1] - self._heard[0] * self._mu
        pull = self._history.add_up(forces) + self._prior * (means - self._mu) + heard
        return solved(links, pull[:, None])[:, 0]


# Sigma ------------------------------------------------------------------------------------------


def _deviations(history: History, found: _Solution, settings: TrueSkillSettings) -> Floats:
    """Return sigma of each player; no more than that of the prior."""
    variance = 1 / found.precision
    if len(history.names) <= MOST_LINKED:
        variance = np.maximum(variance, _relative(found.links.inverse()))
    variance *= max(1.0, _dispersion(history, found))
    return np.sqrt(np.minimum(variance, settings.sigma**2))


def _relative(covariance: Floats) -> Floats:
    """Return the variance of each player about the mean of all that are linked with it."""
    linked = covariance > 0
    count = linked.sum(axis=1)
    with_mean = covariance.sum(axis=1) / count
    of_mean = (linked * with_mean).sum(axis=1) / count
    relative: Floats = covariance.diagonal() - 2 * with_mean + of_mean
    return relative


def _dispersion(history: History, found: _Solution) -> float:
    """Return by how much the pulls of whole sets vary more than the model predicts.

    Of s pulls on a player, s - 1 are free: their sum is balanced by the prior.
    """
    squares, sets = history.squared_by_set(found.forces)
    several = sets > 1
    predicted = history.add_up(found.known)[several].sum()
    if not predicted:
        return 1.0
    seen = (squares[several] * sets[several] / (sets[several] - 1)).sum()
    freedom = (sets[several] - 1).sum()
    return float((PRIOR_FREEDOM + freedom * seen / predicted) / (PRIOR_FREEDOM + freedom))
