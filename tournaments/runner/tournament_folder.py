"""The folder of a tournament: what it was set up with, what was played, what comes out of it.

tournament.db    everything, in SQLite; the rest is made from it
database         in its place the address of another database, if the organiser named one
tournament.toml  the tournament file, as it was when the last run began
records/         a compressed record for each match of the sets that are complete
logs/            what the bots wrote on their standard error
standings.json, standings.csv, matches.csv, report.html
rounds.json      the bracket of a knock-out, or the table of a Swiss tournament
"""

from __future__ import annotations

import contextlib
import fcntl
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from engine import UsageError
from referee.model import ClockKind, Transport
from referee.runtime import read_text
from referee.transports import derived_token
from tournaments.config import parse_tournament
from tournaments.model import (
    BY_ROUNDS,
    Claims,
    Deals,
    Job,
    Package,
    Result,
    RuntimesSettings,
    ScheduledMatch,
    TournamentSettings,
    changes,
    job_of,
)
from tournaments.pairing import Schedule, complete_sets, grown
from tournaments.ratings import (
    Standings,
    StandingsRequest,
    StopState,
    Table,
    as_csv_rows,
    as_json,
    compute_standings,
    matches_csv_rows,
    stop_state,
)
from tournaments.report import (
    RoundsView,
    as_values,
    report_html,
    rounds_view,
    stop_sentence,
    winner_sentence,
)
from tournaments.runner.folder_files import (
    Progress,
    clear_temporary,
    csv_bytes,
    game_facts,
    json_bytes,
    make_folder,
    write_file,
)
from tournaments.store import FILE, TOURNAMENT, Store, StoreError
from tournaments.submissions import AS_INSTALLED, read_package

TOML: Final = "tournament.toml"
ADDRESS: Final = "database"
LOCK: Final = "lock"
TOGETHER: Final = 64
"""How many records are read from the store at once."""
BLOCK: Final = 8
"""How many sets for each entrant are played side by side."""


class BusyError(UsageError):
    """A folder that another program is using."""


class TournamentFolder:
    """A tournament with its store. Open it with ``opened``; one program at a time writes to it."""

    def __init__(self, path: Path, tournament: TournamentSettings, store: Store) -> None:
        self.path = path
        self.tournament = tournament
        self.store = store
        self._played = store.played()
        self._read_schedule()
        self._may_grow = tournament.grows and not all(each.published for each in store.secrets())
        """Whether more rounds may follow; the secret of a tournament that is over is public."""
        self._stop_state: tuple[int, StopState | None] | None = None
        """After how many matches the question was looked at last, and how far it was settled."""

    def _read_schedule(self) -> None:
        """Read the sets of the store: in the order of rounds, or of their numbers and ids."""
        stored = self.store.sets()
        sets = [each for each, _ in stored.values()]
        if self.tournament.format not in BY_ROUNDS:
            sets.sort(key=lambda each: (each.number, each.id))
        self.schedule = Schedule(self.tournament.request(), tuple(sets))
        self._secrets = {set_id: secret for set_id, (_, secret) in stored.items()}
        self._sets = {each.id: each.matches for each in sets}
        """The matches of each set, in schedule order."""

    def grow(self) -> list[ScheduledMatch]:
        """Add the next round once every match has been played; return its matches.

        It returns none while a match is missing, and when the tournament is over.
        """
        if not self._may_grow or len(self._played) < self.progress().matches:
            return []
        plan = grown(self.tournament, self.schedule.sets, self.results())
        new = [each for each in plan.sets if each.id not in self._sets]
        if not new:
            self._may_grow = False
            return []
        self.store.add_schedule(new, self.tournament.secret, self.tournament.deals_at)
        self._read_schedule()
        return self.pending()

    @property
    def records(self) -> Path:
        """Where released records are."""
        return self.path / "records"

    @property
    def logs(self) -> Path:
        """Where the standard errors of the bots are."""
        return self.path / "logs"

    def progress(self) -> Progress:
        """Return how far the tournament is."""
        total = sum(map(len, self._sets.values()))
        complete = len(self.complete_sets())
        return Progress(total, len(self._played), len(self._sets), complete, self._may_grow)

    def _is_complete(self, set_id: str) -> bool:
        return all(match.id in self._played for match in self._sets[set_id])

    def complete_sets(self) -> list[str]:
        """Return the ids of the sets whose every match has been played."""
        return [set_id for set_id in self._sets if self._is_complete(set_id)]

    def matches_of(self, set_id: str) -> tuple[ScheduledMatch, ...]:
        """Return the matches of a set."""
        return self._sets[set_id]

    def match(self, match_id: str) -> ScheduledMatch:
        """Return a scheduled match, which must be there."""
        set_id, _, number = match_id.rpartition("-")
        return self._sets[set_id][int(number) - 1]

    # What is to be played -----------------------------------------------------------------------

    def pending(self, *, whole_sets: bool = False) -> list[ScheduledMatch]:
        """Return what is to be played, set by set or in an order that needs few bot processes.

        No process may see a deal twice, so each seating of a set needs other processes. Within a
        block of sets all first seatings are played, then all second ones: so the same processes
        serve for one seating of the whole block.
        """
        size = 1 if whole_sets else max(1, BLOCK * len(self.tournament.entrants))
        sets = list(self._sets.values())
        found = []
        for start in range(0, len(sets), size):
            block = sets[start : start + size]
            for number in range(max(map(len, block))):
                found += [matches[number] for matches in block if number < len(matches)]
        return [match for match in found if match.id not in self._played]

    def job(self, match: ScheduledMatch, attempt: int) -> Job:
        """Return what a worker needs to play a match."""
        secret = self._secrets[match.set_id].secret
        duplicate = self.tournament.deals_at(match.entrants) is Deals.DUPLICATE
        return job_of(match, attempt, secret, duplicate=duplicate)

    def note_played(self, results: Sequence[Result]) -> list[str]:
        """Note matches that have been committed; return the sets that are complete by them."""
        self._played |= {result.match for result in results}
        return list(filter(self._is_complete, {result.set_id for result in results}))

    # What comes out -----------------------------------------------------------------------------

    def release(self, sets: Iterable[str]) -> None:
        """Write the records of complete sets as files, unless they are there."""
        matches = (match.id for set_id in sets for match in self._sets[set_id])
        paths = ((match, self.records / f"{match}.jsonl.zst") for match in matches)
        missing = ((match, path) for match, path in paths if not path.exists())
        while some := dict(islice(missing, TOGETHER)):
            for match, data in self.store.released_records(list(some)).items():
                write_file(some[match], data, durable=False)  # the store has it for good

    def results(self) -> list[Result]:
        """Return the matches that count, in schedule order."""
        found = {result.match: result for result in self.store.results(TOURNAMENT)}
        order = [match.id for matches in self._sets.values() for match in matches]
        return [found[match] for match in order if match in found]

    @property
    def claims(self) -> Claims:
        """At which moments the claims of the standings must hold.

        Once, if the tournament is complete. At any time while it is not, and if sets were added
        after it had been complete: these have a secret of their own.
        """
        grown = len(self.store.secrets()) > 1
        return Claims.FIXED if self.progress().complete and not grown else Claims.ANYTIME

    def standings(self) -> Standings:
        """Return the standings as the matches so far give them."""
        return standings_of(self.tournament, self.results(), self.claims)

    def stop_state(self, table: Table | None = None) -> StopState | None:
        """Return how far the question of the tournament is settled; None if it has none.

        ``table`` is that of all matches, if it has been computed.
        """
        played = len(self._played)
        if self._stop_state is None or self._stop_state[0] != played:
            self._stop_state = played, stop_state(self.tournament, self.results(), table)
        return self._stop_state[1]

    def write_outputs(self) -> Standings:
        """Write standings and report; a tournament that is over publishes its secrets."""
        results = self.results()
        table = standings_of(self.tournament, results, self.claims)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        stop = self.stop_state(table.overall)
        progress = self.progress()
        if progress.complete:
            self.store.publish_secrets()
        write_file(self.path / "standings.json", json_bytes(as_json(table, now, stop)))
        write_file(self.path / "standings.csv", csv_bytes(as_csv_rows(table)))
        write_file(self.path / "matches.csv", csv_bytes(matches_csv_rows(results)))
        rounds = self._rounds(results)
        if rounds is not None:
            write_file(self.path / "rounds.json", json_bytes(as_values(rounds)))
        released = {
            match.id: f"records/{match.id}.jsonl.zst"
            for set_id in self.complete_sets()
            for match in self._sets[set_id]
        }
        page = report_html(
            table,
            results,
            generated_at=now,
            facts=self._facts(progress),
            records=released,
            notes=self.notes(),
            scheduled=progress.matches,
            rounds=rounds,
        )
        write_file(self.path / "report.html", page.encode())
        return table

    def _rounds(self, results: Sequence[Result]) -> RoundsView | None:
        """Return the bracket of a knock-out or the table of a Swiss tournament."""
        return rounds_view(self.tournament.request(), complete_sets(self.schedule.sets, results))

    def _facts(self, progress: Progress) -> dict[str, str]:
        control = self.tournament.time_control
        facts = game_facts(self.tournament.games) | {
            "Matches": f"{progress.played} of {progress.matches}",
            "Complete sets": f"{progress.complete_sets} of {progress.sets}",
            "Seconds": ", ".join(
                f"{name} {time.total_seconds():g}" for name, time in control.times().items()
            ),
            **({"Clock": "CPU time"} if control.clock is ClockKind.CPU else {}),
        }
        for secret in self.store.secrets():
            number = "" if secret.number == 1 else f" {secret.number}"
            facts[f"SHA-256 of the secret{number}"] = secret.commitment
            if secret.published:
                facts[f"Secret{number}"] = secret.secret.hex()
        return facts

    def notes(self) -> list[str]:
        """Return what a reader of the standings has to know."""
        rounds = self._rounds(self.results()) if self.tournament.format in BY_ROUNDS else None
        won = winner_sentence(rounds) if rounds is not None else None
        notes = [*filter(None, [won, self.question()]), *self.tournament.not_playing()]
        notes += [benched.sentence for benched in self.store.benched().values()]
        voids = self.store.voids()
        if voids:
            causes = sorted({void.cause for void in voids})
            notes.append(
                f"{len(voids)} attempts at matches were void and do not count; the cause was "
                f"{' or '.join(causes)}."
            )
        return notes

    def question(self) -> str:
        """Say what is settled, or what is not yet; nothing if the tournament has no question."""
        state = self.stop_state()
        if state is None:
            return ""
        two = self.tournament.challenger or "", self.tournament.baseline or ""
        return stop_sentence(state, two, over=self.progress().complete)

    def tokens(self) -> dict[str, str]:
        """Return the token of each remote entrant."""
        return remote_tokens(self.tournament, self.store.setting("token_key"))

    def commitments(self) -> list[str]:
        """Return the commitments to the secrets that are not published."""
        return [secret.commitment for secret in self.store.secrets() if not secret.published]


def remote_tokens(tournament: TournamentSettings, key: str) -> dict[str, str]:
    """Return the token of each remote entrant: the same in every run, so that it can be shown."""
    return {
        entrant.name: derived_token(bytes.fromhex(key), entrant.name)
        for entrant in tournament.entrants
        if entrant.transport is Transport.REMOTE
    }


def standings_of(
    tournament: TournamentSettings, results: Sequence[Result], claims: Claims
) -> Standings:
    """Return the standings of a tournament's entrants."""
    return compute_standings(results, StandingsRequest.of_tournament(tournament, claims))


# Opening ------------------------------------------------------------------------------------------


@contextlib.contextmanager
def begun(
    path: Path,
    file: Path,
    database: str | None = None,
    runtimes: RuntimesSettings = AS_INSTALLED,
    *,
    text: str | None = None,
    base: Path | None = None,
) -> Iterator[TournamentFolder]:
    """Open the folder of a tournament file, to play; make it if it is not there.

    ``database`` is the address of a database in place of the folder's own, and ``runtimes`` are
    those of its packages. ``text`` is the content of the file if it need not exist, and ``base``
    the folder to which its paths are relative, if that is not its own. Raises UsageError if the
    file has changed in a way that the matches so far do not allow.
    """
    text = read_text(file) if text is None else text
    tournament = parse_tournament(
        text,
        str(file),
        base or file.resolve().parent,
        partial(read_package, runtimes=runtimes),
    )
    for folder in (path, path / "records", path / "logs"):
        make_folder(folder)
    with _locked(path), _writable_store(path, database) as store:
        known = store.setting("identity")
        if known is not None:
            changed = changes(known, tournament)
            if changed:
                raise UsageError(
                    f"{file} does not fit what was played in {path}:\n"
                    + "\n".join(f"  {sentence}" for sentence in changed)
                    + "\nPut that back, or begin a tournament of its own with another --out."
                )
        else:
            store.put(
                token_key=secrets.token_hex(32),
                began=datetime.now(UTC).isoformat(timespec="seconds"),
            )
        keep = {set_id: each for set_id, (each, _) in store.sets().items()}
        plan = grown(tournament, list(keep.values()), list(store.results(TOURNAMENT)))
        store.enter_all({entrant.name: entrant.author for entrant in tournament.entrants})
        new = [each for each in plan.sets if each.id not in keep]
        store.add_schedule(new, tournament.secret, tournament.deals_at)
        packages = {each.package.path: each.package for each in tournament.entrants if each.package}
        store.put(
            identity=tournament.identity(),
            file=text,
            source=str(file.resolve()),
            packages={path: package.as_dict() for path, package in packages.items()},
        )
        store.keep_tokens(TOURNAMENT, remote_tokens(tournament, store.setting("token_key")))
        clear_temporary(path, path / "records")
        write_file(path / TOML, text.encode(), private=True)
        yield TournamentFolder(path, tournament, store)


@contextlib.contextmanager
def _writable_store(path: Path, database: str | None) -> Iterator[Store]:
    """Open the store of a folder that is locked; raises BusyError if another folder uses it."""
    if database is not None and (path / FILE).exists():
        raise UsageError(
            f"the tournament in {path} is kept in its {FILE}: leave out --database, or begin a "
            "tournament of its own with another --out."
        )
    url = _address(path, database)
    with (
        Store.of_tournament(path, url=url) as store,
        store.held_for_a_run() as is_free,
    ):
        if not is_free:
            raise BusyError(
                f"another program is playing the tournament in the database of {path}: wait for "
                "it, or stop it."
            )
        if url is not None:
            write_file(path / ADDRESS, f"{url}\n".encode(), private=True)
        yield store


def _address(path: Path, database: str | None) -> str | None:
    """Return the address of a folder's database, if it is not in the folder itself."""
    file = path / ADDRESS
    return database or (read_text(file).strip() if file.exists() else None)


@contextlib.contextmanager
def opened(path: Path, database: str | None = None) -> Iterator[TournamentFolder]:
    """Open a folder to read it, wherever it lies; its bots need not be there."""
    url = _address(path, database)
    with Store.of_tournament(path, writable=False, url=url) as store:
        text, source = store.setting("file"), store.setting("source")
        if text is None or source is None:
            raise StoreError(f"{path} holds a tournament that has not begun.")
        packages = store.setting("packages") or {}

        def known_package(path: str, _base: Path | None) -> Package:
            return Package.from_dict(path, packages[path])

        tournament = parse_tournament(text, source, None, known_package)
        rounds = store.setting("identity").get("rounds", {})
        tournament = replace(tournament, seeds=tuple(rounds.get("seeds", ())))
        yield TournamentFolder(path, tournament, store)


def file_of(path: Path, database: str | None = None) -> Path:
    """Return the tournament file with which a folder was last used; it may have moved with it."""
    url = _address(path, database)
    with Store.of_tournament(path, writable=False, url=url) as store:
        source = store.setting("source")
    if source is None:
        raise StoreError(f"{path} holds a tournament that has not begun.")
    moved = path.resolve().parent / Path(source).name
    for file in (Path(source), moved):
        if file.is_file():
            return file
    raise UsageError(
        f"the tournament file {source} is not there any more. {path / TOML} is a copy of it: put "
        f"it where its paths are right, and go on with: highstreet tournament run FILE --out {path}"
    )


@contextlib.contextmanager
def at_rest(path: Path) -> Iterator[None]:
    """Keep a folder as it is for a while; raises BusyError if it is being played in."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(FileNotFoundError, PermissionError):
            handle = stack.enter_context((path / LOCK).open())
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                raise BusyError(
                    f"the tournament in {path} is being played: wait for its end, or stop it first."
                ) from None
        yield


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep every other program from playing in a folder."""
    try:
        handle = (path / LOCK).open("a")
    except OSError as error:
        raise UsageError(f"cannot write to {path}: {error.strerror}.") from None
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyError(
                f"another program is playing the tournament in {path}: wait for it, or stop it."
            ) from None
        yield


def is_tournament(path: Path) -> bool:
    """Return whether a folder holds a tournament."""
    return (path / FILE).exists() or (path / ADDRESS).exists()
