"""Everything between a bot and the referee; you can write a bot without reading it."""

import hashlib
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from google.protobuf.json_format import MessageToJson, Parse
from highstreet.v1 import play_pb2

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Bot:
    """Plays one match. A subclass overrides what it needs."""

    games: tuple[str, ...] = ()  # those that it plays; none means all
    submitted = play_pb2.SubmitMove()  # the last answer, to repeat it if the connection broke

    def match_started(self, message: play_pb2.MatchStarted) -> None:
        """Learn the game, its options and your seat."""

    def choose(self, decision: play_pb2.Decision) -> play_pb2.Move:
        """Return one of ``decision.legal_moves``."""
        return decision.legal_moves[0]

    def match_ended(self, message: play_pb2.MatchEnded) -> None:
        """Learn the result."""


def run(bot_class: type[Bot], max_matches: int = 1) -> None:
    """Play over gRPC if HIGHSTREET_TARGET is set, else over standard input and output.

    On SIGINT or SIGTERM the bot leaves: it plays its matches to their end and waits for the goodbye
    of the referee. A second signal ends it at once.
    """
    bots = defaultdict[str, Bot](bot_class)
    if target := os.environ.get("HIGHSTREET_TARGET"):
        from grpc_plumbing import GrpcSession  # noqa: PLC0415  gRPC takes long to load

        join = play_pb2.Join(
            token=os.environ.get("HIGHSTREET_TOKEN", ""),
            protocol_version=1,
            bot_version=bot_version(),
            games=bot_class.games,
            max_matches=max_matches,
        )
        GrpcSession(bots, join).play(target)
    else:
        play_over_pipe(bots)


def play_over_pipe(bots: dict[str, Bot]) -> None:
    """Play over standard input and output until the referee says goodbye or ends the input."""
    out, sys.stdout = sys.stdout, sys.stderr  # so that a bot may print what it thinks

    def leave() -> None:
        # In one piece and past the buffer of ``out``, which this may interrupt.
        os.write(out.fileno(), b'{"leave": {}}\n')

    on_stop_signal(leave)
    for line in sys.stdin:
        said = Parse(line, play_pb2.PlayResponse(), ignore_unknown_fields=True)
        if said.HasField("goodbye"):
            break
        if request := answer(said, bots):
            text = MessageToJson(request, preserving_proto_field_name=True, indent=None)
            print(text, file=out, flush=True)


def answer(said: play_pb2.PlayResponse, bots: dict[str, Bot]) -> play_pb2.PlayRequest | None:
    """Let the bot of the match hear a message, and return its answer to a decision."""
    if said.HasField("match_started"):
        bots.pop(said.match_started.match, None)  # after a cut it may come again: begin anew
        bots[said.match_started.match].match_started(said.match_started)
    elif said.HasField("decision"):
        asked, bot = said.decision, bots[said.decision.match]
        if bot.submitted.decision_id != asked.decision_id:
            bot.submitted = play_pb2.SubmitMove(
                match=asked.match, decision_id=asked.decision_id, move=bot.choose(asked)
            )
        return play_pb2.PlayRequest(submit_move=bot.submitted)
    elif said.HasField("move_rejected"):
        print("rejected:", said.move_rejected.message, file=sys.stderr)
    elif said.HasField("match_ended"):
        bots.pop(said.match_ended.match, Bot()).match_ended(said.match_ended)
    return None


def on_stop_signal(stop: Callable[[], None]) -> None:
    """Call a function on the first SIGINT or SIGTERM; a second one ends the program at once."""

    def handle(_number: int, _frame: object) -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        stop()

    for number in STOP_SIGNALS:
        signal.signal(number, handle)


def bot_version() -> str:
    """Return HIGHSTREET_BOT_VERSION, or a hash of the bot's own files among the loaded modules."""
    if version := os.environ.get("HIGHSTREET_BOT_VERSION"):
        return version
    loaded = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    main = getattr(sys.modules["__main__"], "__file__", None)
    if not main:
        print("the version of this bot is unknown: set HIGHSTREET_BOT_VERSION", file=sys.stderr)
        return ""
    folder = Path(main).resolve().parent
    files = {Path(name).resolve() for name in loaded if name and "site-packages" not in name}
    own = sorted(file for file in files if file.is_relative_to(folder) and file.is_file())
    digest = hashlib.sha256()
    for file in own:
        digest.update(f"{file.relative_to(folder).as_posix()}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]
