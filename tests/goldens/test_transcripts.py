"""Every byte that a bot receives, and every byte of the record, for a match of each kind.

``pytest --update tests/goldens`` writes the files anew. A difference here is a change of the
protocol or of the record format: raise its version and say so in the changelog.
"""

from __future__ import annotations

import asyncio
import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard

from engine.game import Options, Seat
from engine.registry import GAMES, AnyGame
from engine.shuffle import Seed, seed_from_text
from referee.match.inbox import Inbox
from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.messages import Gone, Submitted, Unreadable
from referee.match.player import MatchPlan, Question, Rejection, Result
from referee.match.result import MatchResult
from referee.model.clock import TimeControl
from referee.model.policy import Policy, Reaction
from referee.record.format import commitment
from referee.record.reader import read_record
from referee.record.verify import verify_record
from referee.wire import messages, stdio
from tests.virtual_time import run, virtual_loop

FOLDER = Path(__file__).parent.parent / "data" / "goldens" / "transcripts"
OLD_RECORDS = FOLDER.parent / "records-0.1"
"""What version 0.1 wrote for the same matches; never written anew."""
SEED = seed_from_text("1618")
SALT = bytes(range(16))
CONTROL = TimeControl(
    per_move=timedelta(milliseconds=1500),
    bank=timedelta(seconds=20),
    increment=timedelta(milliseconds=250),
    start_up=timedelta(seconds=3),
    latency=timedelta(milliseconds=25),
)
POLICY = Policy(time_out=Reaction.STRIKE, strikes=2, rejections=2)

KINDS = [
    pytest.param(game, kind, id=f"{game.spec.name}-{'-'.join(map(str, kind.values()))}")
    for game in GAMES.values()
    for kind in game.spec.kinds()
]


def name_of(game: AnyGame, kind: Options) -> str:
    """Return the name of the golden file of a kind of game."""
    variants = [o.name for o in game.spec.options_offered if o.variant and kind[o.name]]
    return "-".join([game.spec.name, str(kind.seats), *variants])


class TranscribingPlayer:
    """A player that encodes what it receives for both transports and answers by a fixed rule.

    The rule includes one stale answer, unreadable answers, moves that were legal in the decision
    before only, and, for seat 1, time-outs until the seat has forfeited.
    """

    def __init__(self) -> None:
        self.inbox = Inbox()
        self.grpc: list[bytes] = []
        self.lines: list[bytes] = []
        self._asked = 0
        self._previous: Any = ()
        """The legal moves of the previous decision."""
        self._outdated: list[Any] = []
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Encode the start of the match."""
        committed = commitment(plan.seed, plan.salt)
        self.grpc.append(messages.started_message(plan, seat, committed))
        self.lines.append(stdio.started_line(plan, seat, committed))

    def ask(self, question: Question) -> None:
        """Encode a decision and answer it after a delay that depends on its number."""
        self.grpc.append(messages.decision_message(question))
        self.lines.append(stdio.decision_line(question))
        self._asked += 1
        self._outdated = [move for move in self._previous if move not in question.legal]
        self._previous = question.legal
        if question.seat == 1 and self._asked % 5 == 0:
            return
        self._answer(question, rejected=False)

    def _answer(self, question: Question, *, rejected: bool) -> None:
        delay = 0.001 * (7 * question.decision % 1900)
        self._timer = virtual_loop().call_later(delay, self._perform, question, rejected)

    def _perform(self, question: Question, rejected: bool) -> None:
        now = virtual_loop().time()
        if question.seat == 0 and self._asked % 7 == 3 and not rejected:
            self.inbox.put(Unreadable("not an object.", "nonsense", now))
            return
        if self._asked % 6 == 5 and self._outdated and not rejected:
            move = self._outdated[0]
            self.inbox.put(Submitted(question.plan.match, question.decision, move, now))
            return
        chosen = question.legal[(3 * question.decision + question.seat) % len(question.legal)]
        if self._asked == 2:
            self.inbox.put(Submitted(question.plan.match, question.decision - 1, chosen, now))
        self.inbox.put(Submitted(question.plan.match, question.decision, chosen, now))

    def absence(self) -> Gone | None:
        """Report that the player is connected."""
        return None

    def reject(self, rejection: Rejection) -> None:
        """Encode a rejection and answer again."""
        self.grpc.append(messages.rejected_message(rejection))
        self.lines.append(stdio.rejected_line(rejection))
        self._answer(rejection.question, rejected=True)

    def end(self, result: Result) -> None:
        """Encode the end of the match."""
        self.grpc.append(messages.ended_message(result))
        self.lines.append(stdio.ended_line(result))
        if self._timer is not None:
            self._timer.cancel()
        self.inbox.close()


def played(game: AnyGame, kind: Options, seed: Seed) -> tuple[MatchResult, list[Any]]:
    """Play a match of transcribing players in virtual time."""

    async def match() -> tuple[MatchResult, list[Any]]:
        names = tuple(f"bot {seat}" for seat in range(kind.seats))
        plan = MatchPlan(
            "m-0001", game, kind, seed, SALT, names, CONTROL, POLICY,
            about={"tournament": {"name": "golden", "match": "x-1", "set": "x", "variant": "v"}},
        )  # fmt: skip
        players = [TranscribingPlayer() for _ in names]
        lag = LagMeter()
        try:
            return await Match(plan, players, lag).play(), players
        finally:
            lag.stop()

    return run(match())


def transcript(players: list[Any]) -> bytes:
    """Write what each seat received: its lines, and the SHA-256 of each binary message."""
    parts = []
    for seat, player in enumerate(players):
        parts.append(f"# seat {seat}\n".encode())
        for line, binary in zip(player.lines, player.grpc, strict=True):
            parts.append(line)
            parts.append(f"# binary {hashlib.sha256(binary).hexdigest()}\n".encode())
    return b"".join(parts)


def check(path: Path, data: bytes, *, update: bool) -> None:
    """Compare with a compressed golden file, or write it."""
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zstandard.ZstdCompressor(level=19).compress(data))
    assert path.exists(), f"no golden file {path.name}: run pytest --update"
    golden = zstandard.ZstdDecompressor().decompress(path.read_bytes(), max_output_size=1 << 26)
    if data != golden:  # the first different line says more than the whole of both
        for number, (new, old) in enumerate(
            zip(data.split(b"\n"), golden.split(b"\n"), strict=False)
        ):
            assert new == old, f"line {number + 1}"
    assert len(data) == len(golden)


@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_messages_and_records_of_every_kind_of_game_keep_their_bytes(
    game: AnyGame, kind: Options, update: bool
) -> None:
    result, players = played(game, kind, SEED)
    name = name_of(game, kind)
    check(FOLDER / f"{name}.transcript.zst", transcript(players), update=update)
    check(FOLDER / f"{name}.jsonl.zst", result.record, update=update)
    verify_record(result.record)
    assert result.forfeits or result.strikes, "the script must provoke faults"


@pytest.mark.parametrize("path", sorted(OLD_RECORDS.iterdir()), ids=lambda path: path.name)
def test_records_of_version_0_1_verify(path: Path) -> None:
    verify_record(read_record(path))
