"""Everything between a bot and the referee; you can write a bot without reading it."""

import signal
import sys
import time
from collections import defaultdict
from os import getenv
from pathlib import Path
from queue import SimpleQueue

from google.protobuf.json_format import MessageToJson, Parse
from highstreet.v1 import play_pb2


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
    """Play over gRPC if HIGHSTREET_TARGET is set, else over standard input and output."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # end quietly, as SIGTERM does anyway
    bots = defaultdict[str, Bot](bot_class)
    if at := getenv("HIGHSTREET_TARGET"):
        _play_over_grpc(at, bots, play_pb2.Join(max_matches=max_matches, games=bot_class.games))
    out, sys.stdout = sys.stdout, sys.stderr  # so that a bot may print what it thinks
    for line in sys.stdin:
        if request := _answer(Parse(line, play_pb2.PlayResponse(), True), bots):
            print(MessageToJson(request, True, None), file=out, flush=True)  # on one line


def _play_over_grpc(at: str, bots: dict[str, Bot], join: play_pb2.Join) -> None:
    from highstreet.v1.play_pb2_grpc import PlayServiceStub, grpc  # noqa: PLC0415  slow to load

    tls = (ca := getenv("HIGHSTREET_CA")) and grpc.ssl_channel_credentials(Path(ca).read_bytes())
    soon, tries = [("grpc.max_reconnect_backoff_ms", 5000)], int(getenv("HIGHSTREET_TRIES", "300"))
    channel = grpc.secure_channel(at, tls, soon) if tls else grpc.insecure_channel(at, soon)
    failures, most, join.token, join.protocol_version = 0, 6, getenv("HIGHSTREET_TOKEN", ""), 1
    while True:
        requests = SimpleQueue[play_pb2.PlayRequest]()
        requests.put(play_pb2.PlayRequest(join=join))
        try:
            for said in PlayServiceStub(channel).Play(iter(requests.get, None)):
                failures, most, join.resume_id = 0, tries, said.welcome.resume_id or join.resume_id
                if request := _answer(said, bots):
                    requests.put(request)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE or (failures := failures + 1) > most:
                sys.exit(f"{error.code().name}: {error.details()}")
        requests.put(time.sleep(0.1 * 2 ** min(failures, 7)))  # None: nobody asks this queue again


def _answer(said: play_pb2.PlayResponse, bots: dict[str, Bot]) -> play_pb2.PlayRequest | None:
    if said.HasField("match_started"):
        bots.pop(said.match_started.match, None)  # after a cut it may come again: begin anew
        bots[said.match_started.match].match_started(said.match_started)
    elif said.HasField("decision"):
        asked, bot = said.decision, bots[said.decision.match]
        if bot.submitted.decision_id != asked.decision_id:
            bot.submitted = play_pb2.SubmitMove(move=bot.choose(asked))
            bot.submitted.match, bot.submitted.decision_id = asked.match, asked.decision_id
        return play_pb2.PlayRequest(submit_move=bot.submitted)
    elif said.HasField("move_rejected"):
        print("rejected:", said.move_rejected.message, file=sys.stderr)
    elif said.HasField("match_ended"):
        bots.pop(said.match_ended.match, Bot()).match_ended(said.match_ended)
    return sys.exit() if said.HasField("goodbye") else None
