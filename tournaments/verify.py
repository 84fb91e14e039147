"""Checking a whole tournament from its records: nothing is believed that they do not show."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, NamedTuple

import orjson
import zstandard
from rich.console import Console
from rich.progress import Progress

from engine import HighstreetError, OptionValue, find_game, seed_from_text
from referee import RecordError, verify_record
from referee.record import LARGEST_RECORD
from tournaments.folder import TournamentFolder, standings_of
from tournaments.ratings import as_json
from tournaments.results import Result
from tournaments.schedule import ScheduledMatch


class Problem(NamedTuple):
    """Something that is not as it should be."""

    where: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a verification found."""

    problems: tuple[Problem, ...]
    summary: str


class Examined(NamedTuple):
    """What a record shows, once it has been played again."""

    result: Result
    options: dict[str, OptionValue]
    """All of them, also those that the record leaves at their defaults."""
    wire_id: str
    seed: str
    salt: str


def examine(compressed: bytes) -> Examined:
    """Play a record again, and return what it shows; raises RecordError."""
    try:
        data = zstandard.ZstdDecompressor().decompress(compressed, max_output_size=LARGEST_RECORD)
    except zstandard.ZstdError as error:
        raise RecordError(f"the record cannot be decompressed: {error}.") from None
    summary = verify_record(data)
    lines = [orjson.loads(line) for line in data.splitlines()]
    head, deal = lines[0], lines[1]
    about = head.get("tournament")
    if not isinstance(about, dict) or not {"match", "set", "variant"} <= about.keys():
        raise RecordError("the record does not say which match of a tournament it is.", 1)
    micros = [0] * len(summary.entrants)
    for line in lines[2:-1]:
        micros[line["seat"]] += round(line["ms"] * 1000)
    result = Result(
        about["match"],
        about["set"],
        summary.game,
        about["variant"],
        summary.entrants,
        summary.places,
        summary.scores,
        tuple(summary.forfeits),
        tuple(micro / 1_000_000 for micro in micros),
        summary.decisions,
    )
    stated = dict(head["options"])
    options = find_game(summary.game).spec.options(stated.pop("seats"), stated)
    return Examined(result, dict(options), summary.match, deal["seed"], deal["salt"])


def _examine(task: tuple[str, bytes]) -> tuple[str, Examined | str]:
    match, compressed = task
    try:
        return match, examine(compressed)
    except HighstreetError as error:
        return match, str(error)


def verify_tournament(folder: TournamentFolder, workers: int, console: Console) -> Report:
    """Check everything; a tournament that is not over is checked as far as it goes."""
    stored = folder.store.results()
    scheduled = {m.id: m for s in folder.schedule.sets for m in s.matches}
    problems = [
        Problem(match, "this match is not scheduled.") for match in stored if match not in scheduled
    ]
    shown: dict[str, Result] = {}
    tasks = ((match, folder.store.record(match) or b"") for match in stored)
    with (
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
        Progress(console=console, disable=not console.is_terminal) as progress,
    ):
        for match, found in progress.track(
            pool.map(_examine, tasks, chunksize=16), total=len(stored), description="records"
        ):
            if isinstance(found, str):
                problems.append(Problem(match, found))
                continue
            shown[match] = found.result
            if match in scheduled:
                problems += _compare(folder, scheduled[match], stored[match], found)
    problems += _files(folder)
    problems += _standings(folder, shown)
    state = folder.progress()
    summary = (
        f"{len(shown)} of {state.matches} scheduled matches, each counted once; every record was "
        "played again, every deal follows from the secret, and the standings are what the records "
        "give."
    )
    return Report(tuple(problems), summary)


def _compare(
    folder: TournamentFolder, match: ScheduledMatch, stored: Result, found: Examined
) -> Iterator[Problem]:
    """Compare a record with the schedule, with the store, and with the secret."""
    shown = found.result
    if (shown.match, shown.set_id, shown.game, shown.variant, shown.entrants) != (
        match.id,
        match.set_id,
        match.game,
        match.variant,
        match.entrants,
    ):
        yield Problem(match.id, "the record is of another match than the scheduled one.")
    elif found.options != dict(folder.tournament.options_of(match)):
        yield Problem(match.id, "the options of the record are not those of its variant.")
    for name in Result.__slots__:
        if getattr(shown, name) != getattr(stored, name):
            yield Problem(
                match.id,
                f"{name} is {getattr(stored, name)} in the store, but the record gives "
                f"{getattr(shown, name)}.",
            )
    _, _, attempt = found.wire_id.removeprefix(match.id).partition("-a")
    right = folder.job(match, int(attempt) if attempt.isdecimal() else 1)
    if seed_from_text(found.seed) != right.seed:
        yield Problem(match.id, "the deal does not follow from the secret.")
    if bytes.fromhex(found.salt) != right.salt:
        yield Problem(match.id, "the salt of the deal does not follow from the secret.")


def _files(folder: TournamentFolder) -> Iterator[Problem]:
    """Compare the released files with the store."""
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
        if there[name].read_bytes() != folder.store.record(released[name]):
            yield Problem(
                f"records/{name}",
                "the file is not what the store has; remove it, and `resume` writes it again.",
            )


def _standings(folder: TournamentFolder, shown: dict[str, Result]) -> Iterable[Problem]:
    """Work out the standings from the records alone, and compare them with the file."""
    path = folder.path / "standings.json"
    order = [match.id for each in folder.schedule.sets for match in each.matches]
    results = [shown[match] for match in order if match in shown]
    try:
        written: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return [Problem(path.name, "the file is missing or damaged; `standings --write` helps.")]
    right = as_json(standings_of(folder.tournament, results), str(written.get("generated_at")))
    if "by_game" not in written and len(folder.tournament.games) == 1:
        del right["by_game"]  # a file from when there was one game only, of which it says all
    if json.loads(json.dumps(right)) != written:
        sentence = "the file is not what the records give; `standings --write` writes it anew."
        return [Problem(path.name, sentence)]
    return []
