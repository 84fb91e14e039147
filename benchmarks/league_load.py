"""Those who load the server of benchmarks/league.py: bots, readers and onlookers.

Each function here is a process of its own. Bots answer at once with a random legal move; readers
ask for pages at a steady pace; an onlooker keeps a stream of live events open.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import random
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import grpc
from highstreet.v1 import play_pb2 as pb

from benchmarks.clients import METHOD, answer, own_connection

AGAIN: Final = 0.5
"""The seconds after which a bot that was cut off dials again."""
ANSWER_WITHIN: Final = 60.0
"""Who waits longer for a page gives up, in seconds."""
AT_ONCE: Final = 20
"""The number of bots of a process that dial at the same time."""


class Answer(NamedTuple):
    """What a reader got."""

    page: str
    status: int
    """0 if there was no answer."""
    seconds: float
    """Since the page was due, so that a reader who is late counts what it waited for."""
    size: int


# Bots -------------------------------------------------------------------------------------------


def bots(address: str, tokens: Sequence[str]) -> None:
    """Dial in with each token, and play until the process is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_bots(address, tokens))


async def _bots(address: str, tokens: Sequence[str]) -> None:
    dialling = asyncio.Semaphore(AT_ONCE)
    await asyncio.gather(*(_bot(address, token, dialling) for token in tokens))


async def _bot(address: str, token: str, dialling: asyncio.Semaphore) -> None:
    """Play on one connection after the other, as the sample bots do: a bot outlives a cut."""
    joining = pb.Join(token=token, protocol_version=1, bot_version="1", max_matches=1)
    while True:
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):  # it was cut
            async with grpc.aio.insecure_channel(address, own_connection()) as channel:
                await _play(channel.stream_stream(METHOD)(), joining, dialling)
        await asyncio.sleep(AGAIN)


async def _play(call: Any, joining: pb.Join, dialling: asyncio.Semaphore) -> None:
    async with dialling:
        await call.write(pb.PlayRequest(join=joining).SerializeToString())
        first = await call.read()
    if first is not grpc.aio.EOF:
        joining.resume_id = pb.PlayResponse.FromString(first).welcome.resume_id
    while (data := await call.read()) is not grpc.aio.EOF:
        said = pb.PlayResponse.FromString(data)
        if said.WhichOneof("message") == "decision":
            move = random.choice(said.decision.legal_moves)
            await call.write(answer(said.decision, move))


# Readers ----------------------------------------------------------------------------------------


def readers(address: str, league: str, names: Sequence[str], pace: float, answers: Any) -> None:
    """Ask for pages, ``pace`` of them in a second, and put every answer into a queue."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    crowd = max(1, round(2 * pace))
    for number in range(crowd):
        asking = threading.Thread(
            target=_read, args=(address, league, names, crowd / pace, number / pace, answers)
        )
        asking.start()


def _read(
    address: str, league: str, names: Sequence[str], every: float, first: float, answers: Any
) -> None:
    """Be one of the readers, with a connection of its own."""
    due = time.perf_counter() + first
    known = _Known(address, league, names)
    for page, path in known.pages():
        time.sleep(max(0.0, due - time.perf_counter()))
        status, body = known.ask(path)
        answers.put(Answer(page, status, time.perf_counter() - due, len(body)))
        if page == "records.json" and status == 200:
            known.learn(json.loads(body))
        due += every


class _Known:
    """What a reader knows of the league, and the connection to it."""

    def __init__(self, address: str, league: str, names: Sequence[str]) -> None:
        self._address = address
        self._league = f"/leagues/{league}"
        self._names = names
        self._matches: list[str] = []
        self._connection: http.client.HTTPConnection | None = None

    def learn(self, document: Mapping[str, Any]) -> None:
        """Learn of matches from a list of them."""
        self._matches = [match["id"] for match in document["matches"]]

    def ask(self, path: str) -> tuple[int, bytes]:
        """Ask for a page, and once more if a connection was closed meanwhile, as browsers do."""
        for _ in range(1 if self._connection is None else 2):
            try:
                return self._answer(path)
            except (OSError, http.client.HTTPException):
                self._connection = None
        return 0, b""

    def _answer(self, path: str) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self._address, timeout=ANSWER_WITHIN)
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def pages(self) -> Iterator[tuple[str, str]]:
        """Return pages for ever, each kind as often as the others, in an order of chance."""
        while True:
            match = random.choice(self._matches) if self._matches else None
            kinds = {
                "front": "/",
                "standings": self._league,
                "standings.json": f"{self._league}.json",
                "bot": f"{self._league}/bots/{random.choice(self._names)}",
                "live": f"{self._league}/live",
                "records": f"{self._league}/matches",
                "records.json": f"{self._league}/matches.json?state=played",
                "metrics": "/metrics",
                "healthz": "/healthz",
            }
            if match is not None:
                kinds |= {"match": f"/matches/{match}", "replay": f"/matches/{match}/replay.json"}
            yield from random.sample(list(kinds.items()), len(kinds))


def onlooker(address: str, league: str) -> None:
    """Read the live events of a league for as long as they come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        connection = http.client.HTTPConnection(address, timeout=ANSWER_WITHIN)
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", f"/leagues/{league}/live/events")
            answer = connection.getresponse()
            while answer.readline():
                pass
        time.sleep(AGAIN)
