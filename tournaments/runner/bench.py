"""Benches entrants: forfeits in a row, deaths of processes, and void matches.

Counts come from the store, so that a resumed run and the next server go on with them. A reason is
public: it never has the detail of a fault, which may quote a hand of a deal that is played again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from referee.model import Cause
from tournaments.model import (
    MOST_OWN_DEATHS,
    Benched,
    ConflictError,
    Death,
    DeathKind,
    EntrantState,
    FaultNote,
    Forfeit,
    PlayedMatch,
    ScheduledMatch,
    always_there,
    count_incidents,
    own_deaths,
    presence,
)
from tournaments.runner.dispatch import ProgressListener
from tournaments.runner.league_context import StoreRetry
from tournaments.store import TOURNAMENT, Store

log = logging.getLogger(__name__)

ONE_AT_A_TIME: Final = 20
"""How many matches an entrant plays one at a time after a death of its process."""
RECENT: Final = 100
"""From how many of the last matches the presence of entrants is estimated."""
SERVER_STOPS: Final = "the server was stopped"
"""The detail of voids when a server stops."""
NOT_STARTED: Final = "this machine could not start"
"""How the detail of a void begins when the machine, and not the bot, failed at a start."""
NOT_PLAYED: Final = "the cluster did not play it"
"""How the detail of a void begins whose match had not begun on a cluster, or was lost with all."""
WORKER_FAILED: Final = "a worker of the cluster failed"
"""How the detail of a void begins that is charged with the failure of a worker of a cluster."""
NOT_COUNTED: Final = (SERVER_STOPS, NOT_STARTED, NOT_PLAYED, WORKER_FAILED)
"""How the details of voids begin that are not charged by themselves."""
LAST_DEATHS: Final = 100
"""From how many of the last failures the entrants of a league are judged."""
_WORDS: Final = {
    DeathKind.PROCESS: "its process was ended by SIGKILL",
    DeathKind.STOPPED: "its process was stopped",
}

Key = tuple[str, str]
"""An entrant and a game; all games if that is empty."""


# The rules of tournaments and leagues: each returns a reason, or None ---------------------------


def after_forfeit(bench_after: int, incidents: int, match: str, fault: str) -> str | None:
    """Bench an entrant for forfeits in a row by its own fault.

    ``incidents`` counts the forfeits of one cut connection once: ``count_incidents``.
    """
    if not bench_after or incidents < bench_after:
        return None
    return f"it forfeited {incidents} times in a row; the last time, in {match}, by {fault}"


def after_own_death(kind: DeathKind, times: int) -> str | None:
    """Suspend an entrant whose own process died or was stopped too often."""
    return (
        f"{_WORDS[kind]} in {times} matches, which were void" if times >= MOST_OWN_DEATHS else None
    )


def after_failure(
    deaths: Sequence[Death], what: str = "failures of worker processes"
) -> tuple[str, str] | None:
    """Suspend an entrant that was present at too many failures; with its name."""
    found = always_there(deaths)
    if found is None:
        return None
    name, times, number = found
    return name, (
        f"it was playing at {times} of the {number} {what}, more often than chance explains"
    )


class TournamentBench:
    """Keeps what benches entrants: benched in one game, or suspended in all.

    The store has it from earlier runs, and gets what is new from ``new_benched`` and
    ``new_deaths``.
    """

    def __init__(self, store: Store, bench_after: int, listener: ProgressListener) -> None:
        self._bench_after = bench_after
        self._listener = listener
        self._benched = store.benched()
        self._deaths = store.deaths()
        self._own_deaths = own_deaths(self._deaths)
        self._one_at_a_time = dict.fromkeys(self._own_deaths, ONE_AT_A_TIME)
        """How many matches an entrant still plays one at a time."""
        self._streaks = Counter(store.forfeit_streaks(TOURNAMENT))
        """The number of forfeits in a row before this run."""
        self._forfeits: defaultdict[Key, list[Forfeit]] = defaultdict(list)
        """The forfeits in a row of this run."""
        self._recent: deque[tuple[str, ...]] = deque(maxlen=RECENT)
        """The entrants of the last matches that began."""
        self.new_benched: list[Benched] = []
        self.new_deaths: list[Death] = []

    # For the next match --------------------------------------------------------------------------

    def absent(self, match: ScheduledMatch) -> Mapping[str, str]:
        """Return the entrants of a match that are benched, each with the reason."""
        if not self._benched:
            return {}
        found = {
            name: self._benched.get((name, "")) or self._benched.get((name, match.game))
            for name in match.entrants
        }
        return {name: benched.reason for name, benched in found.items() if benched is not None}

    def is_suspended(self, name: str) -> bool:
        """Return whether an entrant is benched in all games."""
        return (name, "") in self._benched

    @property
    def one_at_a_time(self) -> frozenset[str]:
        """Entrants that play one match at a time, because its outcome decides about the next."""
        return frozenset(name for name in self._one_at_a_time if not self.is_suspended(name))

    @property
    def is_pending(self) -> bool:
        """Whether the next match may bench or suspend an entrant."""
        keys = self._streaks.keys() | self._forfeits.keys()
        streaks = any(self._incidents(key) for key in keys if key not in self._benched)
        return bool(self.one_at_a_time) or bool(self._bench_after and streaks)

    def _incidents(self, key: Key) -> int:
        return self._streaks[key] + count_incidents(self._forfeits.get(key, ()))

    # Matches -------------------------------------------------------------------------------------

    def note_started(self, match: ScheduledMatch) -> None:
        """Note that a match begins."""
        self._recent.append(self._present(match))

    def _present(self, match: ScheduledMatch) -> tuple[str, ...]:
        absent = self.absent(match)
        return tuple(name for name in match.entrants if name not in absent)

    def note_played(self, match: ScheduledMatch, played: PlayedMatch) -> bool:
        """Count the forfeits of a match; return whether an entrant was benched for them."""
        faults = {note.entrant: note for note in played.faults}
        before = len(self._benched)
        for name in match.entrants:
            self._count_down(name)
            key = name, match.game
            if name not in faults:
                self._streaks[key] = 0
                self._forfeits.pop(key, None)
                continue
            fault = faults[name].fault
            if fault != "benched":
                text = f"{name} forfeited match {match.id}: {faults[name].detail}"
                self._listener.trouble(Cause.BOT, text)
                ended = datetime.now(UTC)
                forfeit = Forfeit(ended - timedelta(seconds=played.seconds), ended, fault)
                self._forfeits[key].append(forfeit)
                reason = after_forfeit(self._bench_after, self._incidents(key), match.id, fault)
                if reason is not None and key not in self._benched:
                    self._bench(Benched(name, match.game, match.id, reason))
        return len(self._benched) > before

    def _count_down(self, name: str) -> None:
        if name in self._one_at_a_time:
            self._one_at_a_time[name] -= 1
            if not self._one_at_a_time[name]:
                del self._one_at_a_time[name]

    # Deaths --------------------------------------------------------------------------------------

    def note_process_death(self, kind: DeathKind, name: str, match: ScheduledMatch) -> None:
        """Charge the death of a bot process to its entrant."""
        self._note_death(Death(kind, (name,), {}, f"match {match.id}"))
        self._own_deaths[name] += 1
        self._one_at_a_time[name] = ONE_AT_A_TIME
        reason = after_own_death(kind, self._own_deaths[name])
        if reason is not None:
            self._suspend(name, match.id, reason)

    def note_failure(self, kind: DeathKind, matches: Iterable[ScheduledMatch], detail: str) -> None:
        """Charge the death or the failure of a worker to all entrants of its matches."""
        playing = list(matches)
        if not playing:
            return
        present = sorted({name for match in playing for name in self._present(match)})
        recent = [*self._recent, *map(self._present, playing)]
        expected = presence(recent, len(playing))
        self._note_death(Death(kind, tuple(present), expected, detail))
        unexplained = [each for each in self._deaths if not self._is_explained(each)]
        found = after_failure(unexplained)
        if found is not None:
            name, reason = found
            self._suspend(name, playing[0].id, reason)

    def presence_at_worker_deaths(self) -> str:
        """Return how often each entrant was present when workers died, the most frequent first."""
        workers = (death for death in self._deaths if death.kind is DeathKind.WORKER)
        there = Counter(name for death in workers for name in death.entrants)
        return ", ".join(f"{name} ({times} times)" for name, times in there.most_common(5))

    def _is_explained(self, death: Death) -> bool:
        """Return whether a suspended entrant was present: the others are not to blame."""
        return any(self.is_suspended(name) for name in death.entrants)

    def _note_death(self, death: Death) -> None:
        self._deaths.append(death)
        self.new_deaths.append(death)

    def _suspend(self, name: str, match: str, reason: str) -> None:
        if not self.is_suspended(name):
            self._bench(Benched(name, "", match, reason))

    def _bench(self, benched: Benched) -> None:
        self._benched[benched.entrant, benched.game] = benched
        self.new_benched.append(benched)
        self._listener.benched(benched.sentence)


class LeagueBench:
    """Counts forfeits and failures in the store of a league, and benches entrants for them."""

    def __init__(
        self, store: Store, league: str, retry: StoreRetry, dismiss: Callable[[str, str], Any]
    ) -> None:
        """Take the league, and a function that ends the connections of an entrant with a reason."""
        self._store = store
        self._league = league
        self._retry = retry
        self._dismiss = dismiss

    async def after_forfeit(self, most: int, match: str, note: FaultNote) -> None:
        """Bench the entrant that forfeited an attempt, if it was one too many in a row."""
        if not most:
            return
        counted = partial(self._store.forfeits_in_a_row, self._league, note.entrant, most)
        incidents = await self._retry.call(match, counted)
        reason = after_forfeit(most, incidents, match, note.fault)
        if reason is not None:
            detail = f" What was wrong: {_one_line(note.detail)}."
            await self._bench(match, note.entrant, f"{reason}.", detail)

    async def after_failure(self, match: str, death: Death) -> None:
        """Keep a failure of the referee or a worker; bench an entrant that was at too many."""
        noted = partial(self._store.note_death, self._league, death, LAST_DEATHS)
        deaths = await self._retry.call(match, noted)
        what = "failures of the referee and its workers"
        found = await asyncio.to_thread(after_failure, deaths, what)
        if found is not None:
            name, reason = found
            await self._bench(match, name, f"{reason}.")

    async def _bench(self, match: str, name: str, reason: str, private: str = "") -> None:
        """Bench an entrant for a public reason; its bot gets the private part too."""
        try:
            benched = await self._retry.call(
                match, partial(self._store.bench, self._league, name, reason)
            )
        except ConflictError:
            return  # it was withdrawn or disqualified meanwhile
        if benched.state == EntrantState.BENCHED:
            about = {"league": self._league}
            log.warning("%s/%s is benched: %s", self._league, name, reason, extra=about)
            self._dismiss(name, reason + private)


def _one_line(text: str, most: int = 200) -> str:
    """Make one line of what may be several."""
    return "".join(c if c.isprintable() else " " for c in text)[:most].strip().rstrip(".")


def benched_note(name: str, reason: str) -> str:
    """Return what the author of a benched bot reads, with what to do about it."""
    return (
        f"{name} is benched: {reason} When it is mended, say so with "
        "`highstreet league unbench` and dial in again."
    )
