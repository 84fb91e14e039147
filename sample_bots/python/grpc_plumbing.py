"""The gRPC side of plumbing.py; you can write a bot without reading it."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

import grpc
from highstreet.v1.play_pb2 import Join, Leave, PlayRequest
from highstreet.v1.play_pb2_grpc import PlayServiceStub
from plumbing import Bot, answer, on_stop_signal

FIRST_TRIES = 6  # how often to dial again where no referee was ever reached: for 12 seconds
TRIES = 300  # how often to dial again once one was reached, by default: for about an hour
CUT = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL)  # what a cut connection looks like


class GrpcSession:
    """The bots of this process, and their connection to the referee."""

    def __init__(self, bots: dict[str, Bot], join: Join) -> None:
        self.bots = bots
        self.join = join
        self.leaving = False
        # A signal handler may put something into a SimpleQueue at any moment.
        self.requests = SimpleQueue[PlayRequest | None]()
        self.wake_up = SimpleQueue[None]()

    def play(self, target: str) -> None:
        """Play until the referee says goodbye; dial again after a cut connection."""
        on_stop_signal(self.leave)
        failures, most = 0, FIRST_TRIES
        while True:
            try:
                # gRPC 1.85 lets a call hang for ever that begins while its channel loses the
                # connection: each try has a channel of its own.
                with open_channel(target) as channel:
                    for said in PlayServiceStub(channel).Play(self.new_requests()):
                        failures, most = 0, int(os.environ.get("HIGHSTREET_TRIES", TRIES))
                        if said.HasField("goodbye"):
                            return
                        if said.HasField("welcome"):
                            self.join.resume_id = said.welcome.resume_id
                        if request := answer(said, self.bots):
                            self.requests.put(request)
            except grpc.RpcError as error:
                failures += 1
                if error.code() not in CUT or failures > most:
                    sys.exit(f"{error.code().name}: {error.details()}")
            finally:
                self.requests.put(None)  # ends the iterator that gRPC reads
            self.pause(0.1 * 2 ** min(failures, 7))
            if self.leaving:
                if not self.bots:
                    return  # there is no match to come back for
                most = min(most, FIRST_TRIES)

    def new_requests(self) -> Iterator[PlayRequest]:
        """Begin a stream of requests with join; what is put into ``requests`` follows."""
        requests = SimpleQueue[PlayRequest | None]()
        requests.put(PlayRequest(join=self.join))
        self.requests = requests
        if self.leaving:
            requests.put(PlayRequest(leave=Leave()))
        return iter(requests.get, None)

    def leave(self) -> None:
        """Ask the referee for no more matches; do not wait for one that is away."""
        self.leaving = True
        self.requests.put(PlayRequest(leave=Leave()))
        self.wake_up.put(None)

    def pause(self, seconds: float) -> None:
        """Wait for some time, or until the bot is asked to leave."""
        with suppress(Empty):
            self.wake_up.get(timeout=seconds)


def open_channel(target: str) -> grpc.Channel:
    """Open a channel, with TLS if HIGHSTREET_CA names the certificate of the authority."""
    if path := os.environ.get("HIGHSTREET_CA"):
        credentials = grpc.ssl_channel_credentials(Path(path).read_bytes())
        return grpc.secure_channel(target, credentials)
    return grpc.insecure_channel(target)
