"""A gRPC bot that plays the first legal move of one game only, and prints why it was sent away.

The first argument is the game. It says when it is ready, and then waits for a line with the address
of its referee and its token: to start takes long, and nobody shall wait for that.
"""

import sys
from queue import SimpleQueue

import grpc
from highstreet.v1 import play_pb2

print("ready", flush=True)
address, token = input().split()
requests = SimpleQueue[play_pb2.PlayRequest]()
join = play_pb2.Join(token=token, protocol_version=1, games=[sys.argv[1]], max_matches=1)
requests.put(play_pb2.PlayRequest(join=join))
with grpc.insecure_channel(address) as channel:
    play = channel.stream_stream(
        "/highstreet.v1.PlayService/Play",
        play_pb2.PlayRequest.SerializeToString,
        play_pb2.PlayResponse.FromString,
    )
    for said in play(iter(requests.get, None)):
        if said.HasField("decision"):
            asked = said.decision
            answer = play_pb2.SubmitMove(
                match=asked.match, decision_id=asked.decision_id, move=asked.legal_moves[0]
            )
            requests.put(play_pb2.PlayRequest(submit_move=answer))
        if said.HasField("goodbye"):
            print(said.goodbye.reason, flush=True)
            break
