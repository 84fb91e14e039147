"""Who is benched in a tournament: forfeits in a row, of which one cut connection makes only one."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.tournaments.store.test_tournament_store import SET, finished
from tournaments.cli.tournament.progress_display import PlainDisplay
from tournaments.model import FaultNote, PlayedMatch
from tournaments.runner.bench import TournamentBench
from tournaments.store import Store

MATCH = SET.matches[0]
BOB = 1
"""The seat of bob in that match."""


def forfeited(fault: str, seconds: float) -> PlayedMatch:
    """Return a match that bob forfeited; it took so long and has just ended."""
    played = finished(0)
    note = FaultNote(MATCH.id, "bob", fault, "bot", "a detail", datetime.now(UTC))
    result = replace(played.result, forfeits=(BOB,))
    return played._replace(result=result, seconds=seconds, faults=(note,))


def is_benched(bench: TournamentBench) -> bool:
    return "bob" in bench.absent(MATCH)


def test_matches_in_play_when_a_connection_is_cut_count_once(tmp_path: Path) -> None:
    with closing(Store.of_tournament(tmp_path)) as store:
        bench = TournamentBench(store, bench_after=2, listener=PlainDisplay(print))
        for _ in range(4):
            bench.note_played(MATCH, forfeited("disconnect", seconds=600))
        assert not is_benched(bench)
        bench.note_played(MATCH, forfeited("disconnect", seconds=0))
        assert is_benched(bench), "the last match began after the first cut: a second incident"


def test_other_forfeits_count_one_by_one(tmp_path: Path) -> None:
    with closing(Store.of_tournament(tmp_path)) as store:
        bench = TournamentBench(store, bench_after=2, listener=PlainDisplay(print))
        bench.note_played(MATCH, forfeited("crash", seconds=600))
        assert not is_benched(bench)
        bench.note_played(MATCH, forfeited("crash", seconds=600))
        assert is_benched(bench)
