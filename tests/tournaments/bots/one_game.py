"""A gRPC bot that says it plays one game only, and prints why it was sent away.

The first argument is the game.
"""

import os
import sys
from queue import SimpleQueue

import grpc
from highstreet.v1 import play_pb2

requests = SimpleQueue[play_pb2.PlayRequest]()
join = play_pb2.Join(
    token=os.environ["HIGHSTREET_TOKEN"], protocol_version=1, games=[sys.argv[1]], max_matches=1
)
requests.put(play_pb2.PlayRequest(join=join))
with grpc.insecure_channel(os.environ["HIGHSTREET_TARGET"]) as channel:
    play = channel.stream_stream(
        "/highstreet.v1.PlayService/Play",
        play_pb2.PlayRequest.SerializeToString,
        play_pb2.PlayResponse.FromString,
    )
    for said in play(iter(requests.get, None)):
        if said.HasField("goodbye"):
            print(said.goodbye.reason, flush=True)
            break
