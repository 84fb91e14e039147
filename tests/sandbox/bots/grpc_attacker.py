"""A bot over gRPC that does something else at its first decision; it reports to standard error."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc
from highstreet.v1 import play_pb2 as pb
from highstreet.v1 import play_pb2_grpc

NEW_STUB: Any = play_pb2_grpc.PlayServiceStub
TARGET = os.environ["HIGHSTREET_TARGET"]
TOKEN = os.environ["HIGHSTREET_TOKEN"]
SERVICES = ("MatchService/ListMatches", "LeagueService/CreateLeague", "LeagueService/ReissueToken")
CALLS = 900
CONNECTIONS = 40


def report(**found: object) -> None:
    """Tell the test."""
    print(json.dumps({"report": found}), file=sys.stderr, flush=True)


def new_channel() -> Any:
    """Open a connection of its own."""
    return grpc.insecure_channel(TARGET, [("grpc.use_local_subchannel_pool", 1)])


def code_of(method: str, channel: Any) -> str:
    """Call a method with an empty request, and return the code of its answer."""
    try:
        channel.unary_unary(method)(b"", timeout=20)
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"


def join_code(token: str) -> str:
    """Join with a token, and return the code of the answer."""
    join = pb.PlayRequest(join=pb.Join(token=token, protocol_version=1))
    with new_channel() as channel:
        try:
            next(NEW_STUB(channel).Play(iter([join])))
        except grpc.RpcError as error:
            return str(error.code().name)
    return "OK"


def services(others_token: str) -> None:
    """Call what a bot has no business with, too often, over too many connections."""
    others = join_code(others_token)
    with new_channel() as channel:
        codes = {name: code_of(f"/highstreet.v1.{name}", channel) for name in SERVICES}
        health = channel.unary_unary("/grpc.health.v1.Health/Check")
        calls = [health.future(b"") for _ in range(CALLS)]
        refused = sum(call.code() is not grpc.StatusCode.OK for call in calls)
    path = TARGET.removeprefix("unix:")
    open_ones = 0
    tried = [socket.socket(socket.AF_UNIX) for _ in range(CONNECTIONS)]
    for each in tried:
        each.connect(path)
        each.settimeout(5)
    for each in tried:
        try:
            open_ones += bool(each.recv(1))
        except ConnectionError:
            continue
    for each in tried:
        each.close()
    report(
        codes=codes, refused=refused, connections=open_ones, others_token=others,
        sockets=[each.name for each in Path(path).parent.iterdir()],
    )  # fmt: skip


def memory(_: str) -> None:
    """Take memory in several processes, each below its own limit."""
    program = "import os, time; kept = os.urandom(150 << 20); time.sleep(600)"
    for _number in range(4):
        subprocess.Popen([sys.executable, "-c", program])
    time.sleep(600)


def spin(_: str) -> None:
    """Compute in another thread, for ever."""

    def run() -> None:
        while True:
            time.process_time()

    threading.Thread(target=run, daemon=True).start()


def come_back(_: str) -> None:
    """Do nothing here: ``main`` disconnects."""


ATTACKS = {"services": services, "memory": memory, "spin": spin, "come_back": come_back}


def main(attack: str, argument: str) -> None:
    """Play first moves; attack at the first decision."""
    join, began, cut = pb.Join(token=TOKEN, protocol_version=1), False, False
    while True:
        answers: SimpleQueue[pb.PlayRequest | None] = SimpleQueue()
        answers.put(pb.PlayRequest(join=join))
        channel = new_channel()
        for said in NEW_STUB(channel).Play(iter(answers.get, None)):
            if said.HasField("goodbye"):
                return
            if said.HasField("welcome"):
                join.resume_id = said.welcome.resume_id
            if said.HasField("decision"):
                if not began:
                    began = True
                    ATTACKS[attack](argument)
                if attack == "come_back" and not cut:
                    cut = True
                    break
                move = said.decision.legal_moves[0]
                answer = pb.SubmitMove(
                    match=said.decision.match, decision_id=said.decision.decision_id, move=move
                )
                answers.put(pb.PlayRequest(submit_move=answer))
        answers.put(None)
        channel.close()
        time.sleep(8)


if __name__ == "__main__":
    main(*sys.argv[1:3])
