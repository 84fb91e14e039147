"""Seats the bots of a tournament's match: processes of a pool, and bots that connect."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from engine import Seat
from referee.match import Absence, EmptySeat, MatchPlan
from referee.model import Transport
from referee.transports import BotNotConnectedError, BotStartError, RefereeServer, Session
from tournaments.model import Job, TournamentSettings
from tournaments.worker.bot_pool import BotPool, PooledBot
from tournaments.worker.logged_bot import LoggedBot
from tournaments.worker.match_runner import BotKilledError, SeatedBot, Seats

Arrivals = dict[str, SeatedBot | Absence]
"""The bots that can be seated and the absent ones, by name."""


class Seating:
    """Seats the bots of matches, and states why one is absent."""

    def __init__(
        self,
        tournament: TournamentSettings,
        pool: BotPool,
        server: RefereeServer | None,
        on_refusal: Callable[[str], None],
        prefix: str = "",
        keep_log: Callable[[str, str, str], None] | None = None,
    ) -> None:
        """Take the pool of processes, the server for remote bots if there are any, and a callback.

        ``on_refusal`` is called when a remote bot does not play a game that it is scheduled for.
        The pool has the bots under their names with the prefix before them. Without a server no
        bot is remote. ``keep_log`` gets the match, the name and the standard error of each bot
        whose process has a log of its own; it is called in a thread.
        """
        self._keep_log = keep_log
        self._keeping: set[asyncio.Task[None]] = set()
        self._prefix = prefix
        self._tournament = tournament
        self._pool = pool
        self._server = server
        self._on_refusal = on_refusal
        self._refusals: dict[tuple[str, str], str] = {}
        """Why connected bots do not play, by name and game."""

    async def seat(self, job: Job, plan: MatchPlan) -> Seats:
        """Seat all entrants of a match; one that does not come is absent."""
        remote = [
            name
            for name in plan.entrants
            if self._server is not None
            and name not in job.benched
            and self._tournament.entrant(name).transport is Transport.REMOTE
        ]
        found = self._take_idle([name for name in plan.entrants if name not in remote], job)
        tasks = [
            asyncio.create_task(self._start(name, job))
            for name in plan.entrants
            if name not in remote and name not in found
        ]
        if remote:
            game = job.match.game
            tasks.append(asyncio.create_task(self.seat_remote(remote, plan.match, game)))
        if tasks:
            await gather_arrivals(tasks, found, plan.match)
        return seats_of(plan, found)

    def _take_idle(self, names: Sequence[str], job: Job) -> Arrivals:
        """Return the bots with an idle process: nearly always all of them, without waiting."""
        found: Arrivals = {}
        for name in names:
            if name not in job.benched:
                pooled = self._pool.take_idle(self._prefix + name, job.seed)
                if pooled is not None:
                    found[name] = self._seated(name, pooled, job)
        return found

    def _seated(self, name: str, pooled: PooledBot, job: Job) -> SeatedBot | Absence:
        """Seat a bot, unless its join does not name the game."""
        bot = pooled.bot
        if refusal := self._refusal(pooled.name, bot.games, job.match.game):
            pooled.give_back()  # for the games that it plays
            return Absence("disconnect", refusal)
        if self._keep_log is None or not isinstance(bot, LoggedBot):
            return SeatedBot(bot.player(), pooled)
        keep = self._keep_log
        bot.begin(job.match.id, lambda match, text: keep(match, name, text))
        return SeatedBot(bot.player(), pooled, on_end=partial(self._on_end, pooled, bot))

    def _on_end(self, pooled: PooledBot, bot: LoggedBot) -> None:
        """Keep the log of a match; a process whose log is nearly full does not play again."""
        pooled.again = bot.log_is_short
        keeping = asyncio.create_task(bot.end_match())
        self._keeping.add(keeping)
        keeping.add_done_callback(self._keeping.discard)

    async def _start(self, name: str, job: Job) -> Arrivals:
        if name in job.benched:
            return {name: Absence("benched", job.benched[name])}
        try:
            pooled = await self._pool.take(self._prefix + name, job.seed)
        except BotNotConnectedError as error:
            if error.killed:
                raise BotKilledError(name, str(error)) from None
            return {name: Absence("disconnect", str(error))}
        except BotStartError as error:
            if error.machine:
                raise
            return {name: Absence("crash", str(error))}
        return {name: self._seated(name, pooled, job)}

    def _refusal(self, name: str, plays: Collection[str], game: str) -> str | None:
        """Return what is wrong if a bot is scheduled for a game that its join does not name."""
        if not plays or game in plays:
            return None
        return (
            f"{name} says that it plays {' and '.join(sorted(plays))}, but it is scheduled for "
            f"{game}: let its join name {game}, or name its games in the tournament file, as in "
            f"games = {json.dumps(sorted(plays))}."
        )

    async def seat_remote(self, names: Sequence[str], match: str, game: str) -> Arrivals:
        """Wait for remote bots, and seat all of them at the same moment.

        A match that took one bot and then waited for another could wait for a match that does it
        the other way round. A bot that is connected, but plays other matches, is waited for; only
        one that is not connected runs out of time.
        """
        assert self._server is not None  # noqa: S101  remote bots play at the listening worker only
        loop = asyncio.get_running_loop()
        patience = self._tournament.run.remote_seconds
        missing: dict[str, float] = {}
        """Since when each of them is not connected."""
        while True:
            self._refuse(names, game)
            for name in names:
                if self._sessions(name, game):
                    missing.pop(name, None)
                    self._refusals.pop((name, game), None)
                else:
                    missing.setdefault(name, loop.time())
            late = {name for name, since in missing.items() if loop.time() >= since + patience}
            free = {name: self._free_session(name, game) for name in names if name not in late}
            if None not in free.values():
                break
            due = [since + patience for name, since in missing.items() if name not in late]
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(min(due, default=None)):
                    await self._server.wait_for_change()
        found: Arrivals = {
            name: Absence(
                "disconnect",
                self._refusals.get(
                    (name, game), f"{name} did not dial in within {patience:g} seconds."
                ),
            )
            for name in late
        }
        for name, session in free.items():
            if session is not None:
                found[name] = SeatedBot.remote(session, match)
        return found

    def _sessions(self, name: str, game: str) -> list[Session]:
        """Return the connections of a remote bot that play a game, free or not."""
        assert self._server is not None  # noqa: S101  as above
        return [
            session
            for session in self._server.sessions
            if session.entrant == name and session.supports(game)
        ]

    def _free_session(self, name: str, game: str) -> Session | None:
        free = (session for session in self._sessions(name, game) if session.accepts(game))
        return next(free, None)

    def _refuse(self, names: Sequence[str], game: str) -> None:
        """Report bots that do not play a game, and disconnect those that play none."""
        assert self._server is not None  # noqa: S101  as above
        games = [discipline.game for discipline in self._tournament.games]
        for session in self._server.sessions:
            name = session.entrant
            if name not in names or not session.connected or session.leaving:
                continue
            refusal = self._refusal(name, session.games, game)
            if refusal is None:
                continue
            scheduled = [each for each in games if self._tournament.entrant(name).plays(each)]
            if session.games.isdisjoint(scheduled):
                session.send_goodbye(refusal)
            if self._refusals.get((name, game)) != refusal:
                self._refusals[name, game] = refusal
                self._on_refusal(refusal)


def seats_of(plan: MatchPlan, found: Mapping[str, SeatedBot | Absence]) -> Seats:
    """Return the seats of a match from what was found for its entrants."""
    bots, absent = [], {}
    for seat, name in enumerate(plan.entrants):
        arrival = found[name]
        if isinstance(arrival, Absence):
            absent[Seat(seat)] = arrival
            bots.append(SeatedBot(EmptySeat()))
        else:
            bots.append(arrival)
    return bots, absent


async def gather_arrivals(
    tasks: Sequence[asyncio.Task[Arrivals]], found: Arrivals, match: str
) -> None:
    """Add the results of tasks to ``found``; if one fails, dismiss all bots of the match."""
    try:
        for each in await asyncio.gather(*tasks):
            found |= each
    except BaseException:
        for task in tasks:
            task.cancel()
        for arrived in await asyncio.gather(*tasks, return_exceptions=True):
            if not isinstance(arrived, BaseException):
                found |= arrived
        for bot in found.values():
            if isinstance(bot, SeatedBot):
                bot.dismiss(match)
        raise
