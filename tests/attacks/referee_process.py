"""A referee with honest tables and one place for an attack, as a process that can be measured.

python -m tests.attacks.referee_process TRANSPORT ATTACK

It plays until its standard input ends. Of each line there, one word, it does what it says and
answers with a line of JSON: ``honest`` and ``attack`` choose who has the last table; ``report``
changes nothing.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks.questions import plan as planned
from benchmarks.referee import PIPES, client
from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import Player
from referee.match_service.service import MatchService
from referee.model.bot import BotCommand
from referee.model.clock import TimeControl
from referee.model.policy import Cause
from referee.record.repository import MatchEntry
from referee.runtime.cpu_scheduling import tuned_process
from referee.runtime.event_loop import run_async
from referee.transports.grpc_server import RefereeServer
from referee.transports.grpc_session import GrpcPlayer
from referee.transports.pipe import PipeBot, PipePlayer

HONEST_TABLES: Final = 4
ATTACKER: Final = "attacker"
CONTROL: Final = TimeControl(per_move=timedelta(seconds=10), start_up=timedelta(seconds=5))
HERE: Final = Path(__file__).parent


class Matches:
    """Enough finished matches to fill a page."""

    def __init__(self) -> None:
        now = datetime.now(UTC)
        self._entries = [
            MatchEntry(
                f"match-{number:05}",
                "glastonbury",
                "finished",
                ("ann", "bob", "cid", "dan"),
                "line_emptied",
                (1, 2, 3, 4),
                (4, 3, 2, 1),
                (),
                now,
                now,
                released=True,
            )
            for number in range(1001)
        ]

    def get(self, match: str) -> MatchEntry | None:  # noqa: ARG002
        """Return nothing."""
        return None

    def list(
        self,
        after: str,  # noqa: ARG002
        count: int,
        game: str,  # noqa: ARG002
        entrant: str,  # noqa: ARG002
        league: str = "",  # noqa: ARG002
    ) -> Sequence[MatchEntry]:
        """Return the first page, whatever is asked for."""
        return self._entries[:count]

    def record(self, match: str) -> tuple[str, bytes] | None:  # noqa: ARG002
        """Return nothing."""
        return None

    def records(self, matches: Sequence[str]) -> Mapping[str, tuple[str, bytes]]:  # noqa: ARG002
        """Return nothing."""
        return {}


class _PipeAttacker:
    """A bot that attacks over a pipe; it is started anew when it is gone."""

    def __init__(self, attack: str) -> None:
        self._command = BotCommand((sys.executable, str(HERE / "pipe_bots.py"), attack))
        self._bot: PipeBot | None = None

    async def player(self) -> Player:
        """Return the bot at a seat of its next match."""
        if self._bot is None or self._bot.gone is not None:
            await self.end()
            self._bot = await PipeBot.start(self._command)
        return PipePlayer(self._bot)

    async def end(self) -> None:
        """End its process."""
        if self._bot is not None:
            await self._bot.close(grace=0)
            self._bot = None


class Referee:
    """Plays at all tables, and counts."""

    def __init__(self, transport: str, attack: str) -> None:
        self._transport, self._attack = transport, attack
        self._server = RefereeServer()
        self._lag = LagMeter()
        self._number = 0
        self._attacking = False
        self._last: Match | None = None
        self._outside: asyncio.subprocess.Process | None = None
        self._done = 0
        self._tables: dict[int, Match] = {}
        self._attackers_matches = 0
        self._attacked: list[Match] = []
        self._verdicts: Counter[str] = Counter()
        self._forfeits: Counter[str] = Counter()

    async def run(self) -> None:
        """Play until the standard input ends."""
        await self._server.start(add_services=MatchService(Matches()).add_to)
        token = self._server.tokens.issue(ATTACKER)
        seats = [[f"{seat}{table}" for seat in "ab"] for table in range(HONEST_TABLES + 1)]
        tokens = [self._server.tokens.issue(name) for pair in seats for name in pair]
        if self._transport == "pipe":
            tokens.clear()  # they are started one by one
        async with client("bots", self._server.address, *tokens):
            pairs = [[await self._honest(name) for name in pair] for pair in seats]
            tasks = [
                asyncio.create_task(self._honest_table(number, pair))
                for number, pair in enumerate(pairs[:-1])
            ]
            tasks.append(asyncio.create_task(self._last_table(pairs[-1], token)))
            await self._obey()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._outside is not None:
                self._outside.kill()
        await self._server.stop(grace=0)

    async def _honest(self, name: str) -> Any:
        if self._transport == "grpc":
            return await self._server.wait_for_bot(name)
        return await PipeBot.start(BotCommand((*PIPES, "bot")))

    async def _honest_table(self, number: int, pair: Sequence[Any]) -> None:
        while True:
            self._tables[number] = self._table([_player(bot) for bot in pair])
            await self._tables[number].play()
            self._done += self._tables.pop(number).answered

    async def _last_table(self, pair: Sequence[Any], token: str) -> None:
        """Play the table that the attacker has from time to time."""
        attacker = _PipeAttacker(self._attack) if self._transport == "pipe" else None
        while True:
            attacking, players = self._attacking, [_player(each) for each in pair]
            if attacking and attacker is not None:
                players[0] = await attacker.player()
            elif attacking:
                players[0] = await self._dialled(token)
            elif attacker is not None:
                await attacker.end()
            elif self._outside is not None:
                self._outside.kill()
                await self._outside.wait()
                self._outside = None
            self._last = self._table(players)
            if attacking:
                self._attacked.append(self._last)
            result = await self._last.play()
            if attacking:
                self._note(result.record, result.forfeits)

    async def _dialled(self, token: str) -> Player:
        """Return an attacker that dials in."""
        if self._outside is None:
            program = (sys.executable, "-m", "tests.attacks.callers", self._attack)
            self._outside = await asyncio.create_subprocess_exec(
                *program, self._server.address, token
            )
        while True:
            for session in self._server.sessions:
                if session.entrant == ATTACKER and session.connected and not session.playing:
                    return GrpcPlayer(session)
            await self._server.wait_for_change()

    def _note(self, record: bytes, forfeits: Sequence[int]) -> None:
        self._attackers_matches += 1
        self._forfeits.update(str(seat) for seat in forfeits)
        for line in map(json.loads, record.splitlines()):
            if line["kind"] == "decision" and line["seat"] == 0:
                self._verdicts.update(verdict["fault"] for verdict in line.get("verdicts", ()))

    def _table(self, players: Sequence[Player]) -> Match:
        self._number += 1
        plan = replace(planned(self._number), time_control=CONTROL)
        return Match(plan, players, self._lag)

    async def _obey(self) -> None:
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while word := (await reader.readline()).strip():
            if word != b"report":
                self._attacking = word == b"attack"
                if self._last is not None:
                    self._last.stop(Cause.REFEREE, "the players change")
            sys.stdout.write(f"{json.dumps(self._report())}\n")
            sys.stdout.flush()

    def _report(self) -> dict[str, Any]:
        return {
            "attacked": sum(table.answered for table in self._attacked),
            "decisions": self._done + sum(table.answered for table in self._tables.values()),
            "cpu": time.process_time(),
            "lag": self._lag.total(),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "matches": self._attackers_matches,
            "verdicts": dict(self._verdicts),
            "forfeits": dict(self._forfeits),
        }


def _player(bot: Any) -> Player:
    return PipePlayer(bot) if isinstance(bot, PipeBot) else GrpcPlayer(bot)


async def main() -> None:
    """Play until the standard input ends."""
    await Referee(*sys.argv[1:]).run()


if __name__ == "__main__":
    with tuned_process():
        run_async(main())
