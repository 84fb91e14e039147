"""Many bots in one process, each with a connection of its own, that can be told to think for long.

They answer every decision with its first legal move, and come back by themselves whenever their
server is away. While they are told to ``hold``, each of them answers a few decisions of a match and
thinks about the next one for ever: so a test knows that a match is in its middle, without luck.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import grpc
from highstreet.v1 import play_pb2 as pb

from tests.referee.dialling import METHOD
from tests.tournaments.serving import LEAGUE, all_matches, until
from tournaments.model import ScheduledMatch
from tournaments.store import Store

ANSWERED: Final = 3
"""The number of decisions of a match that a bot answers even while it holds."""
AGAIN: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL)
"""How a stream ends whose server is away; gRPC says the second if we were just writing."""
PAUSE: Final = 0.2
"""Before a bot dials again, in seconds."""


def league_file(tables: int, scheduler: str = "ladder") -> str:
    """Return the file of a league of pairs in which nobody is in a hurry: what is late is we."""
    return f"""
title = "Spring league"
scheduler = "{scheduler}"
max_tables = {tables}
game = "glastonbury"
table_sizes = [2]
bench_after = 0
[time_control]
per_move = 3600
start_up = 3600
"""


class Who(NamedTuple):
    """A bot, and the server that it plays at."""

    address: str
    token: str


class Swarm:
    """Bots that play at one or several servers."""

    def __init__(self) -> None:
        self.started: defaultdict[str, set[Who]] = defaultdict(set)
        """Who was told that a match began, by its id on the wire."""
        self.ended: defaultdict[str, dict[Who, tuple[int, ...]]] = defaultdict(dict)
        """The places that each of them was told, by the id of the match on the wire."""
        self.refused: list[str] = []
        """What a server said that is no reason to come back."""
        self._held: Counter[str] = Counter()
        self._go = asyncio.Event()
        self._go.set()
        self._welcomed: set[Who] = set()
        self._bots: dict[str, list[asyncio.Task[None]]] = {}

    @property
    def held(self) -> set[str]:
        """The matches in whose middle a bot thinks, by their ids on the wire."""
        return set(+self._held)

    def forget_welcomes(self) -> None:
        """Count anew who has been welcomed."""
        self._welcomed.clear()

    @property
    def welcomed(self) -> int:
        """How many bots have been welcomed since."""
        assert not self.refused, self.refused
        return len(self._welcomed)

    def hold(self) -> None:
        """Let every match come to its middle and stay there."""
        self._go.clear()

    def go_on(self) -> None:
        """Let every match come to its end."""
        self._go.set()

    async def may_go_on(self, match: str) -> None:
        """Wait in the middle of a match as long as all shall hold."""
        if self._go.is_set():
            return
        self._held[match] += 1
        try:
            await self._go.wait()
        finally:
            self._held[match] -= 1

    def send(self, address: str, tokens: Iterable[str]) -> None:
        """Let a bot dial in with each token."""
        dialling = [asyncio.create_task(self._live(address, token)) for token in tokens]
        self._bots.setdefault(address, []).extend(dialling)

    async def recall(self, address: str) -> None:
        """End the bots of a server."""
        bots = self._bots.pop(address, [])
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)

    async def recall_all(self) -> None:
        """End all bots."""
        for address in list(self._bots):
            await self.recall(address)

    async def _live(self, address: str, token: str) -> None:
        """Play, and dial in again whenever the server is away."""
        join = pb.Join(token=token, protocol_version=1, bot_version="1", max_matches=1)
        while not self.refused:
            try:
                async with grpc.aio.insecure_channel(
                    address, [("grpc.use_local_subchannel_pool", 1)]
                ) as channel:
                    await self._converse(channel, Who(address, token), join)
            except grpc.aio.AioRpcError as error:
                if error.code() not in AGAIN:
                    self.refused.append(f"{error.code().name}: {error.details()}")
            await asyncio.sleep(PAUSE)

    async def _converse(self, channel: grpc.aio.Channel, who: Who, join: pb.Join) -> None:
        """Play over one connection until it is cut."""
        call: Any = channel.stream_stream(METHOD)()
        bot = _Connected(self, who, call)
        await call.write(pb.PlayRequest(join=join).SerializeToString())
        try:
            while (data := await call.read()) is not grpc.aio.EOF:
                said = pb.PlayResponse.FromString(data)
                if said.HasField("welcome"):
                    join.resume_id = said.welcome.resume_id
                    self._welcomed.add(who)
                bot.hear(said)
        finally:
            await bot.end()


class _Connected:
    """One bot over one connection."""

    def __init__(self, swarm: Swarm, who: Who, call: Any) -> None:
        self._swarm = swarm
        self._who = who
        self._call = call
        self._answered = 0
        self._writing = asyncio.Lock()
        """The next question may come before gRPC says that the last answer is on its way."""
        self._thinking: asyncio.Task[None] | None = None

    def hear(self, said: pb.PlayResponse) -> None:
        """Take in what the server says."""
        if said.HasField("match_started"):
            self._answered = 0
            self._swarm.started[said.match_started.match].add(self._who)
        elif said.HasField("decision"):
            self._thinking = asyncio.create_task(self._answer(said.decision))
        elif said.HasField("move_rejected"):
            self._swarm.refused.append(said.move_rejected.message)
        elif said.HasField("match_ended"):
            places = tuple(said.match_ended.places)
            self._swarm.ended[said.match_ended.match][self._who] = places

    async def _answer(self, decision: pb.Decision) -> None:
        if self._answered >= ANSWERED:
            await self._swarm.may_go_on(decision.match)
        self._answered += 1
        answer = pb.SubmitMove(
            match=decision.match, decision_id=decision.decision_id, move=decision.legal_moves[0]
        )
        async with self._writing:
            # If the server is away, the reader finds out too.
            with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self._call.write(pb.PlayRequest(submit_move=answer).SerializeToString())

    async def end(self) -> None:
        """Think no more."""
        if self._thinking is not None:
            self._thinking.cancel()
            await asyncio.gather(self._thinking, return_exceptions=True)
        self._call.cancel()


# What a test waits for and looks at -------------------------------------------------------------


def wire_id(match: ScheduledMatch) -> str:
    """Return what bots call the present attempt at a match."""
    return match.id if match.attempt == 1 else f"{match.id}-a{match.attempt}"


async def hold_at(
    swarm: Swarm, store: Store, enough: Callable[[Sequence[ScheduledMatch]], bool]
) -> tuple[ScheduledMatch, ...]:
    """Let the swarm hold until enough tables are taken and nothing else is going on."""
    swarm.hold()

    async def all_in_the_middle() -> tuple[ScheduledMatch, ...] | None:
        assert not swarm.refused, swarm.refused
        running = await asyncio.to_thread(store.running, LEAGUE)
        middle = {wire_id(match) for match in running} == swarm.held
        return running if middle and enough(running) else None

    found: tuple[ScheduledMatch, ...] = await until(all_in_the_middle, "enough matches at once")
    return found


async def everybody_heard(swarm: Swarm, store: Store) -> None:
    """Wait until every bot knows how its matches ended that are in the store."""

    async def told() -> bool:
        results = await asyncio.to_thread(store.results, LEAGUE)
        return sum(map(len, swarm.ended.values())) == 2 * len(results)

    await until(told, "all bots know their results")


def check_what_bots_saw(swarm: Swarm, store: Store) -> None:
    """Check that bots were told of each match once, and of the result that is in the store."""
    assert swarm.refused == []
    assert {len(told) for told in swarm.started.values()} == {2}, "no match began anywhere else too"
    for match in all_matches(store, "played"):
        places = tuple(seat.place for seat in match.seats)
        assert list(swarm.ended[wire_id(match)].values()) == [places, places]
        assert not any(seat.forfeit for seat in match.seats)
