"""What an author may submit: how many bots, packages a day, versions and bytes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from tournaments.model import FullError, LeagueSettings, SubmissionState
from tournaments.store import schema
from tournaments.store.entrants import GONE, EntrantPart

PERIOD: Final = timedelta(days=1)
MEBIBYTE: Final = 2**20

_table, _tries, _entrants = schema.submissions, schema.submission_tries, schema.entrants


class AuthorLimitsPart(EntrantPart):
    """The part of the store that refuses what is beyond the limits of an author."""

    def _refuse_bots(
        self, connection: sa.Connection, settings: LeagueSettings, account: Any
    ) -> None:
        query = sa.select(sa.func.count()).where(
            _entrants.c.account == account.id, _entrants.c.state.not_in(GONE)
        )
        if connection.execute(query).scalar_one() >= settings.bots_per_author:
            raise FullError(
                f"{account.name} has {settings.bots_per_author} bots, and no more are allowed: "
                "submit a version of one of them, or withdraw one."
            )

    def _check_limits(
        self, connection: sa.Connection, settings: LeagueSettings, account: Any, size: int
    ) -> None:
        """Refuse a submission beyond the limits of its author."""
        recent = sa.select(sa.func.count()).where(
            _tries.c.account == account.id, _tries.c.at > self._now() - PERIOD
        )
        if connection.execute(recent).scalar_one() >= settings.submissions_per_day:
            raise FullError(
                f"{account.name} has submitted {settings.submissions_per_day} packages in 24 "
                "hours, and no more are allowed: try again later."
            )
        size_of_all = sa.func.coalesce(sa.func.sum(_table.c.size), 0)
        stored = sa.select(size_of_all).where(_table.c.account == account.id)
        most = settings.storage_per_author * MEBIBYTE
        if connection.execute(stored).scalar_one() + size > most:
            raise FullError(
                f"the packages of {account.name} would have more than "
                f"{settings.storage_per_author} MiB, and no more are kept: ask an organiser."
            )

    def _check_versions(
        self, connection: sa.Connection, settings: LeagueSettings, entrant: int, name: str
    ) -> None:
        """Refuse one more version of a bot; those that are in the stages count too."""
        processing = sa.select(sa.func.count()).where(
            _table.c.entrant == entrant, _table.c.state == SubmissionState.PROCESSING
        )
        expected = connection.execute(processing).scalar_one()
        if refusal := self._version_refusal(connection, settings, entrant, name, expected):
            raise FullError(f"{refusal}: try again later.")

    def _note_try(self, connection: sa.Connection, account: Any) -> None:
        """Count a submission, and forget those that count no more."""
        now, own = self._now(), _tries.c.account == account.id
        connection.execute(sa.delete(_tries).where(own, _tries.c.at <= now - PERIOD))
        connection.execute(sa.insert(_tries).values(account=account.id, at=now))
