"""The versions of the entrants of a competition."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tournaments.model import Result, Version
from tournaments.ratings.rating_fold import PROBATION
from tournaments.ratings.standings import VersionEntry


class Versions:
    """All versions by entrant, and which of them play now."""

    def __init__(
        self, results: Sequence[Result], entrants: Iterable[str], current: Mapping[str, str]
    ) -> None:
        played = [name for result in results for name in result.entrants]
        self.names = list(dict.fromkeys([*entrants, *played]))
        """As ratings name them: those that are entered now, then the others in order of results."""
        self._matches = Counter(played)
        self._of: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.names:
            self._of[Version.of(name).entrant].append(name)
        unplayed = [name for name in self.names if not self._matches[name]]
        self._current = {Version.of(name).entrant: name for name in [*unplayed, *played]}
        for entrant, version in current.items():
            self._current[entrant] = Version(entrant, version).rated

    def is_current(self, name: str) -> bool:
        """Return whether a version is the one that its entrant has now."""
        return self._current[Version.of(name).entrant] == name

    def label(self, name: str) -> str:
        """Return the name for people: with the version only if the entrant has several."""
        entrant = Version.of(name).entrant
        return name if len(self._of[entrant]) > 1 else entrant

    def entries(self) -> dict[str, tuple[VersionEntry, ...]]:
        """Return the versions of each entrant, in the order in which they came."""
        return {
            entrant: tuple(
                VersionEntry(name, self.label(name), self.is_current(name), self._matches[name])
                for name in names
            )
            for entrant, names in sorted(self._of.items())
        }


def merge_brief_versions(results: Sequence[Result]) -> Sequence[Result]:
    """Return the results for the fit, in which brief versions of an entrant are one.

    These are later versions on probation; the newest stands for all of them. One by one they would
    each be taken for an entrant of medium skill.
    """
    played = Counter(name for result in results for name in result.entrants)
    first: dict[str, str] = {}
    brief: dict[str, str] = {}
    """By version: its entrant."""
    for name, matches in played.items():
        entrant = Version.of(name).entrant
        if first.setdefault(entrant, name) != name and matches < PROBATION:
            brief[name] = entrant
    newest = {entrant: name for name, entrant in brief.items()}
    if len(newest) == len(brief):
        return results
    stands_for = {name: newest[entrant] for name, entrant in brief.items()}
    return [
        replace(result, entrants=tuple(stands_for.get(name, name) for name in result.entrants))
        for result in results
    ]
