"""Joins with the token of a bot that is playing, and with a resume id of its own invention.

It prints the status that it gets; its exit code is 0 if it was refused, and 1 if it was let in.
"""

import sys

import grpc
from _dial import Stream

stream = Stream()
stream.join(resume_id="0123456789abcdef0123456789abcdef")
try:
    for response in stream.responses:
        print("I was told:", response.WhichOneof("message"))
        if response.HasField("welcome"):
            sys.exit(1)
except grpc.RpcError as error:
    print(f"{error.code().name}: {error.details()}")
