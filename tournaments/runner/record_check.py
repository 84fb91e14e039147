"""The check of what another machine says that it has played.

Head, deal and end of every record are compared with the job and the result. One record in
``PLAYED_AGAIN`` is also played again with all its hashes, which takes twenty times as long.
"""

from __future__ import annotations

import secrets
from typing import Final

import orjson

from referee.record import Record, RecordError, decompressed, verify_record
from tournaments.model import Job, PlayedMatch, attempt_id

PLAYED_AGAIN: Final = 16


def problem_with(job: Job, played: PlayedMatch, *, play_again: bool | None = None) -> str | None:
    """Return what is wrong with a result, or None.

    ``play_again`` says whether to play the match again; without it, chance decides.
    """
    if play_again is None:
        play_again = secrets.randbelow(PLAYED_AGAIN) == 0
    try:
        data = decompressed(played.record)
        if play_again:
            verify_record(data)
        return _difference(job, played, data)
    except (RecordError, ValueError, KeyError, IndexError, TypeError) as error:
        return str(error) or type(error).__name__


def _difference(job: Job, played: PlayedMatch, data: bytes) -> str | None:
    """Return where a record is not that of a job, or does not have the result."""
    first, second, _ = data.split(b"\n", 2)
    head, deal = orjson.loads(first), orjson.loads(second)
    result, end = played.result, Record(data).end.fields
    names, seats = tuple(map(str, job.match.versions)), job.match.entrants
    noted = {note.entrant for note in played.faults}
    wanted = {
        "match": (attempt_id(job.match.id, job.attempt), head["match"]),
        "game": (job.match.game, head["game"]),
        "entrants": (list(names), [seat["entrant"] for seat in head["seats"]]),
        "seed": (job.seed.hex(), deal["seed"]),
        "salt": (job.salt.hex(), deal["salt"]),
        "entrants of the result": (names, result.entrants),
        "set of the result": (job.match.set_id, result.set_id),
        "game of the result": (job.match.game, result.game),
        "variant of the result": (job.match.variant, result.variant),
        "times of the result": (len(names), len(result.used)),
        "ending": (played.ending, end["ending"]),
        "scores": (list(result.scores), end["scores"]),
        "places": (list(result.places), end["places"]),
        "forfeits": (list(result.forfeits), end["forfeits"]),
        "decisions": (result.decisions, data.count(b"\n") - 3),
        "match of a fault": (
            {job.match.id},
            {job.match.id, *(note.match for note in played.faults)},
        ),
        "entrant of a fault": (set(seats), {*seats, *noted}),
        "fault of a forfeit": (noted, noted | {seats[seat] for seat in result.forfeits}),
    }
    wrong = [name for name, (one, other) in wanted.items() if one != other]
    return f"{wrong[0]} is not right" if wrong else None
