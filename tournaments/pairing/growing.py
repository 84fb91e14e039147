"""Schedules that grow: the next round is a function of the settings and of the results so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from engine import UsageError
from tournaments.model import (
    DuplicateSet,
    Format,
    Request,
    Result,
    TournamentSettings,
    check_request,
    kinds_of,
    matches_of_set,
)
from tournaments.pairing.knock_out import series_of
from tournaments.pairing.round_robin import Schedule, schedule
from tournaments.pairing.swiss import SetResults, rounds_of, swiss_tables
from tournaments.pairing.until_settled import until_settled


def grown(
    tournament: TournamentSettings, keep: Sequence[DuplicateSet], results: Sequence[Result]
) -> Schedule:
    """Return the schedule as far as the results decide it; ``keep`` is part of it.

    ``keep`` are the sets that the tournament has already. The tournament is over when all sets of
    the schedule have been played. Raises UsageError if ``keep`` has a set that the settings and
    the results do not give.
    """
    request = tournament.request()
    if not tournament.grows:
        return schedule(request, keep)
    if tournament.stop is not None:
        return until_settled(tournament, keep, results)
    check_request(request)
    sets = _decided(request, complete_sets(keep, results))
    known = {each.id for each in sets}
    for each in keep:
        if each.id not in known:
            raise UsageError(
                f"the set {each.id} ({', '.join(each.order)}) is part of the tournament already, "
                f"but no round of this {request.format.value} has it: put the tournament file back "
                "as it was."
            )
    return Schedule(request, sets)


def match_bounds(request: Request) -> tuple[int, int]:
    """Return the fewest and the most matches of a tournament by rounds."""
    entrants, kinds = len(request.entries), kinds_of(request.games)
    if request.format is Format.SWISS:
        sets = {asked.game: asked.sets_per_table for asked in request.games}
        layout = swiss_tables(entrants, request.games[0].table_sizes)
        of_round = sum(
            sets[kind.game]
            * matches_of_set(kind.seats, request.seatings)
            * layout.count(kind.seats)
            for kind in kinds
        )
        return request.swiss_rounds * of_round, request.swiss_rounds * of_round
    fewest = most = entrants - 1 + (request.third_place and entrants > 3)
    if request.format is Format.DOUBLE_KNOCK_OUT:
        fewest, most = 2 * entrants - 2, 2 * entrants - 1
    matches = matches_of_set(2, request.seatings)
    longest = request.best_of + request.extra_sets
    return fewest * (request.best_of // 2 + 1) * matches, most * longest * matches


def complete_sets(sets: Sequence[DuplicateSet], results: Sequence[Result]) -> SetResults:
    """Return the results of each set whose every match has been played, by its id."""
    found: defaultdict[str, list[Result]] = defaultdict(list)
    for result in results:
        found[result.set_id].append(result)
    return {each.id: found[each.id] for each in sets if len(found[each.id]) == each.count}


def _decided(request: Request, results: SetResults) -> tuple[DuplicateSet, ...]:
    """Return all sets of the rounds that the results decide, in the order of the rounds."""
    if request.format is Format.SWISS:
        return tuple(each for played in rounds_of(request, results) for each in played.sets)
    return tuple(each for series in series_of(request, results) for each in series.sets)
