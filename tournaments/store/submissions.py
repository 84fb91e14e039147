"""Packages that authors submit: where each is on its way to the tables, and its reports.

A server claims a submission under a lease, as it claims a match, and takes it through the stages.
If the server dies, another one goes on, or the same one when it starts again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from referee.record import printable
from tournaments.model import (
    LONGEST_REASON,
    AccountState,
    CompetitionState,
    ConflictError,
    EntrantState,
    LeagueSettings,
    Manifest,
    NotAllowedError,
    NotFoundError,
    Page,
    Role,
    Stage,
    StageReport,
    Submission,
    SubmissionState,
    check_name,
    folded,
)
from tournaments.store import schema
from tournaments.store.accounts import active_account_row
from tournaments.store.author_limits import AuthorLimitsPart
from tournaments.store.base import (
    check_page_size,
    competition_row,
    entrant_row,
    open_competition_row,
    page_of,
    put_rows,
    read_page_token,
    storable,
)
from tournaments.store.entrants import GONE

LONGEST_LOG: Final = 64 * 1024
"""Characters of the log of a stage that are kept, the last ones."""
LONGEST_MATCH_LOG: Final = 16 * 1024
"""Characters of the standard error of a bot that are kept of each match, the last ones."""
MATCH_LOGS: Final = 50
"""Of how many matches of a bot the standard error is kept, the newest ones."""

_table, _entrants, _authors = schema.submissions, schema.entrants, schema.authors
_LEASED: Final = (SubmissionState.PROCESSING.value,)


class SubmissionPart(AuthorLimitsPart):
    """The part of the store that knows submissions."""

    # Receiving ----------------------------------------------------------------------------------

    def check_upload(self, league: str, author: str, size: int) -> None:
        """Refuse a package before it is received; raises NotAllowedError and FullError."""
        with self._database.read() as connection:
            row = competition_row(connection, league)
            if row.state != CompetitionState.OPEN:
                raise ConflictError(f'the league "{league}" is closed.')
            settings = LeagueSettings.from_json(row.settings)
            account = active_account_row(connection, league, author)
            self._check_limits(connection, settings, account, size)

    def submit(self, league: str, author: str, manifest: Manifest, content: bytes) -> Submission:
        """Keep a package, and let it go through the stages.

        The same package again returns the submission that is there; one that failed is tried again.
        Raises NotAllowedError, FullError, InvalidError and ConflictError.
        """
        check_name(manifest.name)
        package = hashlib.sha256(content).hexdigest()
        with self._database.write() as connection:
            row = open_competition_row(connection, league)
            settings = LeagueSettings.from_json(row.settings)
            account = active_account_row(connection, league, author)
            settings.refuse_other_games(manifest.name, manifest.games)
            entrant = self._own_entrant(connection, row, settings, account, manifest.name)
            known = _one(connection, _table.c.entrant == entrant, _table.c.package == package)
            if known is None:
                self._check_limits(connection, settings, account, len(content))
                self._check_versions(connection, settings, entrant, manifest.name)
                self._insert(connection, entrant, account.id, manifest, package, content)
                self._note_try(connection, account)
            elif known.state is SubmissionState.FAILED:
                self._check_limits(connection, settings, account, 0)
                again = {"state": SubmissionState.PROCESSING.value, "stage": Stage.RECEIVED.value}
                times = {"server": None, "submitted_at": self._now()}
                self._update(connection, known.id, **again, **times, reason="")
                self._note_try(connection, account)
            found = _one(connection, _table.c.entrant == entrant, _table.c.package == package)
            assert found is not None  # noqa: S101  it was written above
            return found

    def _insert(
        self,
        connection: sa.Connection,
        entrant: int,
        account: int,
        manifest: Manifest,
        package: str,
        content: bytes,
    ) -> None:
        packages, now = schema.packages, self._now()
        kept = sa.select(packages.c.hash).where(packages.c.hash == package)
        if connection.execute(kept).first() is None:
            row = {"hash": package, "content": content, "received_at": now}
            connection.execute(sa.insert(packages).values(**row))
        connection.execute(
            sa.insert(_table).values(
                entrant=entrant,
                account=account,
                package=package,
                size=len(content),
                label=manifest.version,
                games=json.dumps(manifest.games),
                public=manifest.public,
                state=SubmissionState.PROCESSING.value,
                stage=Stage.RECEIVED.value,
                submitted_at=now,
                changed_at=now,
            )
        )

    def _own_entrant(
        self,
        connection: sa.Connection,
        league: Any,
        settings: LeagueSettings,
        account: Any,
        name: str,
    ) -> int:
        """Return the entrant of an author's bot, which is made if it is new."""
        query = sa.select(_entrants).where(
            _entrants.c.competition == league.id, _entrants.c.folded == folded(name)
        )
        found = connection.execute(query).one_or_none()
        if found is None:
            self._refuse_bots(connection, settings, account)
            self._refuse_too_many(connection, league)
            self._add(connection, league.id, {name: account.name})
            found = entrant_row(connection, league.id, name)
            own = sa.update(_entrants).where(_entrants.c.id == found.id)
            connection.execute(own.values(account=account.id))
            text = f"{name} by {account.name} was submitted."
            self._note(connection, league.id, "entered", text, entrant=found.id)
        elif found.account != account.id:
            raise NotAllowedError(
                f'the name "{found.name}" belongs to a bot of another author: choose another in '
                "bot.toml."
            )
        elif found.state in GONE:
            raise ConflictError(f"{found.name} is {found.state}, so it cannot be submitted.")
        return int(found.id)

    # Stages -------------------------------------------------------------------------------------

    def claim_submission(self, server: str, lease_seconds: float) -> Submission | None:
        """Return a submission that no server works on, and hold it under a lease.

        It is the oldest one of the author whose last one was returned longest ago.
        """
        with self._database.write() as connection:
            self._database.alone(connection)
            now = self._shared_now(connection)
            free = sa.or_(_table.c.server.is_(None), _table.c.lease_until < now)
            query = sa.select(_table.c.id, _table.c.account).join(
                _authors, _authors.c.id == _table.c.account
            )
            query = query.where(_table.c.state.in_(_LEASED), free).order_by(
                _authors.c.served_at.nulls_first(), _table.c.submitted_at, _table.c.id
            )
            found = connection.execute(query.limit(1)).first()
            if found is None:
                return None
            served = sa.update(_authors).where(_authors.c.id == found.account)
            connection.execute(served.values(served_at=now))
            until = now + timedelta(seconds=lease_seconds)
            self._update(connection, found.id, server=server, lease_until=until)
            return _one(connection, _table.c.id == found.id)

    def renew_submission(self, server: str, id_: int, lease_seconds: float) -> bool:
        """Hold a submission for longer; false if it is not held any more."""
        with self._database.write() as connection:
            until = self._shared_now(connection) + timedelta(seconds=lease_seconds)
            held = sa.update(_table).where(_table.c.id == id_, _table.c.server == server)
            return connection.execute(held.values(lease_until=until)).rowcount > 0

    def release_submissions(self, server: str) -> int:
        """Give back what a server holds, so that it or another one goes on at once."""
        held = sa.update(_table).where(_table.c.server == server)
        with self._database.write() as connection:
            return connection.execute(held.values(server=None, lease_until=None)).rowcount

    def report_stage(self, server: str, id_: int, report: StageReport) -> Submission | None:
        """Keep how a stage ended; a failed one ends the submission.

        Returns None, and changes nothing, if the server does not hold the submission any more.
        """
        with self._database.write() as connection:
            held = _one(connection, _table.c.id == id_, _table.c.server == server)
            if held is None:
                return None
            put_rows(connection, schema.stage_reports, [_report_row(id_, report, self._now())])
            changed: dict[str, Any] = {"stage": report.stage.value}
            if not report.passed:
                reason = printable(report.sentence, LONGEST_REASON)
                changed = {"state": SubmissionState.FAILED.value, "reason": reason}
                changed |= {"server": None, "lease_until": None}
            self._update(connection, id_, **changed)
            return _one(connection, _table.c.id == id_)

    # Versions that play -------------------------------------------------------------------------

    def activate(self, id_: int) -> Submission:
        """Let a version that has passed all stages play, in place of the one that plays now.

        Raises ConflictError for one that has not, or whose bot does not take part.
        """
        with self._database.write() as connection:
            found = _one(connection, _table.c.id == id_)
            if found is None:
                raise NotFoundError(f"there is no submission {id_}.")
            if found.stage.next is not None or found.state is SubmissionState.FAILED:
                raise ConflictError(
                    f"version {found.version} of {found.bot} has not passed all stages."
                )
            league = open_competition_row(connection, found.league)
            entrant = entrant_row(connection, found.league, found.bot)
            if entrant.state in GONE:
                raise ConflictError(f"{found.bot} is {entrant.state}, so it cannot play.")
            self._add_own_version(connection, entrant, found.version)
            retired = sa.update(_table).where(
                _table.c.entrant == entrant.id, _table.c.state == SubmissionState.ACTIVE
            )
            connection.execute(retired.values(state=SubmissionState.RETIRED.value))
            freed = {"server": None, "lease_until": None}
            self._update(connection, id_, state=SubmissionState.ACTIVE.value, **freed)
            text = f"{found.bot} plays in version {found.version}."
            self._note(connection, league.id, "activated", text, entrant=entrant.id)
            return _existing(connection, id_)

    def retire(self, league: str, bot: str) -> None:
        """Seat no version of a submitted bot until one is activated again."""
        with self._database.write() as connection:
            open_competition_row(connection, league)
            entrant = entrant_row(connection, league, bot)
            playing = sa.update(_table).where(
                _table.c.entrant == entrant.id, _table.c.state == SubmissionState.ACTIVE
            )
            retired = playing.values(state=SubmissionState.RETIRED.value, changed_at=self._now())
            if connection.execute(retired).rowcount:
                text = f"{bot} was retired by its author."
                self._note(
                    connection, league, "retired", text, entrant=entrant.id, role=Role.AUTHOR
                )

    def _add_own_version(self, connection: sa.Connection, entrant: Any, version: str) -> None:
        """Note a version when it first plays."""
        versions = schema.versions
        own = sa.select(versions.c.version, versions.c.number).where(
            versions.c.entrant == entrant.id
        )
        known = {row.version: row.number for row in connection.execute(own)}
        if version not in known:
            number = max(known.values(), default=0) + 1
            self._add_version(connection, entrant.id, version, number)

    def playing(self, league: str) -> tuple[Submission, ...]:
        """Return the versions of submitted bots that play in a league."""
        with self._database.read() as connection:
            query = _SUBMISSIONS.where(
                _entrants.c.competition == league,
                _entrants.c.state == EntrantState.ACTIVE,
                _authors.c.state == AccountState.ACTIVE,
                _table.c.state == SubmissionState.ACTIVE,
            )
            return tuple(map(_submission, connection.execute(query.order_by(_table.c.id))))

    # Reading ------------------------------------------------------------------------------------

    def submission(self, id_: int) -> Submission:
        """Return a submission; raises NotFoundError."""
        with self._database.read() as connection:
            return _existing(connection, id_)

    def submissions(
        self,
        league: str,
        *,
        author: str | None = None,
        bot: str | None = None,
        page_size: int = 100,
        page_token: str = "",
    ) -> Page[Submission]:
        """Return the submissions of a league, of an author or of a bot, the newest first."""
        check_page_size(page_size)
        query = _SUBMISSIONS.where(_entrants.c.competition == league).order_by(_table.c.id.desc())
        if author is not None:
            query = query.where(_authors.c.folded == folded(author))
        if bot is not None:
            query = query.where(_entrants.c.name == bot)
        if page_token:
            last = int(read_page_token("submissions", page_token, number=True))
            query = query.where(_table.c.id < last)
        if not all(map(storable, (league, author or "", bot or ""))):
            return Page((), "")
        with self._database.read() as connection:
            rows = connection.execute(query.limit(page_size + 1)).all()
        found = [_submission(row) for row in rows[:page_size]]
        return page_of("submissions", found, [row.id for row in rows], page_size)

    def submissions_of(self, package: str) -> tuple[Submission, ...]:
        """Return all submissions of a package, in all leagues, by its hash."""
        if not storable(package):
            return ()
        query = _SUBMISSIONS.where(_table.c.package == package).order_by(_table.c.id)
        with self._database.read() as connection:
            return tuple(map(_submission, connection.execute(query)))

    def stage_reports(self, id_: int) -> tuple[StageReport, ...]:
        """Return the reports of a submission in the order of the stages."""
        table = schema.stage_reports
        with self._database.read() as connection:
            rows = connection.execute(sa.select(table).where(table.c.submission == id_)).all()
        return tuple(sorted(map(_report, rows), key=lambda report: list(Stage).index(report.stage)))

    def fault_counts(self, submission: Submission) -> dict[str, int]:
        """Return in how many matches a version had each fault, the most frequent one first."""
        faults, seats = schema.faults, schema.match_seats
        with self._database.read() as connection:
            entrant = entrant_row(connection, submission.league, submission.bot).id
            # A seat of this version in the match: an entrant has one version in it.
            own = (seats.c.match == faults.c.match) & (seats.c.entrant == faults.c.entrant)
            here = sa.select(seats.c.match).where(own, seats.c.version == submission.version)
            count = sa.func.count(faults.c.match.distinct()).label("matches")
            query = sa.select(faults.c.fault, count).where(
                faults.c.entrant == entrant, here.exists()
            )
            query = query.group_by(faults.c.fault).order_by(count.desc(), faults.c.fault)
            return {row.fault: row.matches for row in connection.execute(query)}

    def package(self, hash_: str) -> bytes:
        """Return the file of a package; raises NotFoundError."""
        table = schema.packages
        query = sa.select(table.c.content).where(table.c.hash == hash_)
        with self._database.read() as connection:
            found = connection.execute(query).scalar_one_or_none() if storable(hash_) else None
        if found is None:
            raise NotFoundError("there is no package with that hash.")
        return bytes(found)

    # Standard error -----------------------------------------------------------------------------

    def keep_match_log(self, match: str, league: str, bot: str, text: str) -> None:
        """Keep what a submitted bot wrote to its standard error in a match; the end of it."""
        table = schema.match_logs
        with self._database.write() as connection:
            entrant = entrant_row(connection, league, bot).id
            row = {"match": match, "entrant": entrant, "text": _storable(text, LONGEST_MATCH_LOG)}
            put_rows(connection, table, [{**row, "at": self._now()}])
            own = sa.select(table.c.match).where(table.c.entrant == entrant)
            old = own.order_by(table.c.at.desc(), table.c.match).offset(MATCH_LOGS)
            dropped = connection.execute(old).scalars().all()
            if dropped:
                connection.execute(
                    sa.delete(table).where(table.c.entrant == entrant, table.c.match.in_(dropped))
                )

    def match_logs(self, league: str, bot: str) -> Sequence[tuple[str, str]]:
        """Return the newest matches of a bot with what it wrote to its standard error."""
        table = schema.match_logs
        with self._database.read() as connection:
            entrant = entrant_row(connection, league, bot).id
            query = sa.select(table.c.match, table.c.text).where(table.c.entrant == entrant)
            rows = connection.execute(query.order_by(table.c.at.desc(), table.c.match)).all()
        return [(row.match, row.text) for row in rows]

    def _update(self, connection: sa.Connection, id_: int, **values: Any) -> None:
        values.setdefault("changed_at", self._now())
        connection.execute(sa.update(_table).where(_table.c.id == id_).values(**values))


_SUBMISSIONS: Final = (
    sa.select(
        _table,
        _entrants.c.competition.label("league"),
        _entrants.c.name.label("bot"),
        _authors.c.name.label("author"),
    )
    .join(_entrants, _entrants.c.id == _table.c.entrant)
    .join(_authors, _authors.c.id == _table.c.account)
)


def _existing(connection: sa.Connection, id_: int) -> Submission:
    found = _one(connection, _table.c.id == id_)
    if found is None:
        raise NotFoundError(f"there is no submission {id_}.")
    return found


def _one(connection: sa.Connection, *where: sa.ColumnElement[bool]) -> Submission | None:
    found = connection.execute(_SUBMISSIONS.where(*where)).one_or_none()
    return None if found is None else _submission(found)


def _submission(row: Any) -> Submission:
    return Submission(
        row.id,
        row.league,
        row.author,
        row.bot,
        row.package,
        row.label,
        tuple(json.loads(row.games)),
        row.public,
        row.size,
        SubmissionState(row.state),
        Stage(row.stage),
        row.reason,
        row.submitted_at,
        row.changed_at,
    )


def _report_row(id_: int, report: StageReport, now: Any) -> dict[str, Any]:
    return {
        "submission": id_,
        "stage": report.stage.value,
        "passed": report.passed,
        "sentence": _storable(report.sentence, LONGEST_LOG),
        "log": _storable(report.log, LONGEST_LOG),
        "seconds": report.seconds,
        "cpu_seconds": report.cpu_seconds,
        "memory_bytes": report.memory_bytes,
        "at": now,
    }


def _report(row: Any) -> StageReport:
    times = (row.seconds, row.cpu_seconds, row.memory_bytes, row.at)
    return StageReport(Stage(row.stage), row.passed, row.sentence, row.log, *times)


def _storable(text: str, most: int) -> str:
    """Return the end of a text without what no database can hold."""
    clean = text.encode(errors="replace").decode().replace("\0", "�")
    return clean if len(clean) <= most else "…" + clean[1 - most :]
