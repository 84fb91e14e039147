"""What the bots that dial in share: one stream, and what can be said on it."""

import os
from collections.abc import Iterator
from queue import SimpleQueue

import grpc
from highstreet.v1 import play_pb2 as pb
from highstreet.v1 import play_pb2_grpc

TOKEN = os.environ.get("HIGHSTREET_TOKEN", "")


class Stream:
    """A conversation with the referee."""

    def __init__(self) -> None:
        self._channel = grpc.insecure_channel(
            os.environ["HIGHSTREET_TARGET"], [("grpc.use_local_subchannel_pool", 1)]
        )
        self._requests: SimpleQueue[pb.PlayRequest | None] = SimpleQueue()
        stub = play_pb2_grpc.PlayServiceStub(self._channel)
        self.responses: Iterator[pb.PlayResponse] = stub.Play(iter(self._requests.get, None))

    def join(self, token: str = TOKEN, resume_id: str = "") -> None:
        """Say who we are."""
        join = pb.Join(token=token, protocol_version=1, resume_id=resume_id)
        self._requests.put(pb.PlayRequest(join=join))

    def submit(self, decision: pb.Decision) -> None:
        """Answer a decision with its first legal move."""
        answer = pb.SubmitMove(
            match=decision.match,
            decision_id=decision.decision_id,
            move=decision.legal_moves[0],
        )
        self._requests.put(pb.PlayRequest(submit_move=answer))

    def cut(self) -> None:
        """Drop the connection without a word."""
        self._channel.close()
