"""A whole tournament: records, schedule, deals, released files, standings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from engine import UsageError, seed_from_text
from referee.record import RecordError, Verified, printable
from tournaments.model import Result, ScheduledMatch, attempt_of
from tournaments.pairing import grown, growth_problems
from tournaments.ratings import STANDINGS_VERSION, as_json, stop_state
from tournaments.runner import TournamentFolder, standings_of
from tournaments.store import TOURNAMENT
from tournaments.verification.checks import Problem, Task, differences, result_of, settings_problems


class TournamentRecords:
    """The records of a tournament; one that is not over is checked as far as it goes."""

    def __init__(self, folder: TournamentFolder) -> None:
        self._folder = folder
        self._stored = {each.match: each for each in folder.store.results(TOURNAMENT)}
        self._scheduled = {m.id: m for s in folder.schedule.sets for m in s.matches}
        self._shown: dict[str, Result] = {}

    def __len__(self) -> int:
        return len(self._stored)

    def tasks(self) -> Iterator[Task]:
        """Return the records of the store."""
        return (
            (match, self._folder.store.record(match, released=False) or b"")
            for match in self._stored
        )

    def problems(self, where: str, verified: Verified) -> Iterator[str]:
        """Compare a record with the schedule, with the store, and with the secret."""
        try:
            shown = result_of(verified)
        except RecordError as error:
            yield str(error)
            return
        match = self._scheduled.get(where)
        if match is None:
            yield "this match is not scheduled."
            return
        shown = self._shown[where] = replace(
            shown, duplicate=self._has_shared_deal(match, verified)
        )
        tournament, stored = self._folder.tournament, self._stored[where]
        of_match = (match.id, match.set_id, match.game, match.variant, match.entrants)
        if (shown.match, shown.set_id, shown.game, shown.variant, shown.entrants) != of_match:
            yield "the record is of another match than the scheduled one."
        stated = {name: getattr(stored, name) for name in Result.__slots__}
        yield from differences(shown, stated, "the store")
        control = tournament.time_control
        yield from settings_problems(verified, shown, tournament, control, "tournament")
        yield from self._deal(match, verified)

    def _has_shared_deal(self, match: ScheduledMatch, verified: Verified) -> bool:
        job = self._folder.job(match, 1)
        return job.duplicate and seed_from_text(verified.seed) == job.seed

    def _deal(self, match: ScheduledMatch, verified: Verified) -> Iterator[str]:
        wire_id = verified.summary.match
        attempt = attempt_of(wire_id, match.id)
        if attempt is None:
            yield f"the match is called {printable(wire_id)} in the record."
            return
        right = self._folder.job(match, attempt)
        if seed_from_text(verified.seed) != right.seed:
            yield "the deal does not follow from the secret."
        if bytes.fromhex(verified.salt) != right.salt:
            yield "the salt of the deal does not follow from the secret."

    def conclude(self) -> Iterator[Problem]:
        """Check the released files and the standings."""
        yield from self._rounds()
        yield from self._files()
        yield from self._standings()

    def _rounds(self) -> Iterator[Problem]:
        """Check that each round is the one that the results of the rounds before it give."""
        tournament, sets = self._folder.tournament, self._folder.schedule.sets
        if not tournament.grows:
            return
        try:
            right = grown(tournament, sets, list(self._shown.values())).sets
        except UsageError as error:
            yield Problem("schedule", str(error))
            return
        if tournament.stop is not None:
            added = [each for each, _ in self._folder.store.sets().values()]
            for sentence in growth_problems(tournament, added, list(self._shown.values())):
                yield Problem("schedule", sentence)
        missing = {each.id for each in right} - {each.id for each in sets}
        if missing and self._folder.commitments() == []:
            yield Problem("schedule", f"{len(missing)} sets of its rounds are not scheduled.")

    @property
    def summary(self) -> str:
        """What has been checked."""
        return (
            f"{len(self._shown)} of {len(self._scheduled)} scheduled matches, each counted once; "
            "every record was played again, every deal follows from the secret, and the standings "
            "are what the records give."
        )

    def _files(self) -> Iterator[Problem]:
        """Compare the released files with the store."""
        folder = self._folder
        released = {
            f"{match.id}.jsonl.zst": match.id
            for set_id in folder.complete_sets()
            for match in folder.matches_of(set_id)
        }
        there = {path.name: path for path in folder.records.glob("[!.]*.jsonl*")}
        for name in sorted(released.keys() - there.keys()):
            yield Problem(f"records/{name}", "the file is missing; `resume` writes it again.")
        for name in sorted(there.keys() - released.keys()):
            yield Problem(f"records/{name}", "the file belongs to no match that is released.")
        for name in sorted(there.keys() & released.keys()):
            if there[name].read_bytes() != folder.store.record(released[name], released=False):
                yield Problem(
                    f"records/{name}",
                    "the file is not what the store has; remove it, and `resume` writes it again.",
                )

    def _standings(self) -> Iterable[Problem]:
        """Compute the standings from the records alone, and compare them with the file."""
        tournament, path = self._folder.tournament, self._folder.path / "standings.json"
        results = [self._shown[match] for match in self._scheduled if match in self._shown]
        try:
            written: Any = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            written = None
        if not isinstance(written, dict):
            sentence = "the file is missing or damaged; `standings --write` writes it."
            return [Problem(path.name, sentence)]
        version = written.get("standings_version")
        if version != STANDINGS_VERSION:
            sentence = (
                f"the numbers were made as in version {printable(str(version))} of the document, "
                f"and are made as in version {STANDINGS_VERSION} now; `standings --write` writes "
                "the file anew."
            )
            return [Problem(path.name, sentence)]
        found = standings_of(tournament, results, self._folder.claims)
        stop = stop_state(tournament, results, found.overall)
        right = as_json(found, str(written.get("generated_at")), stop)
        if json.loads(json.dumps(right)) != written:
            sentence = "the file is not what the records give; `standings --write` writes it anew."
            return [Problem(path.name, sentence)]
        return []
