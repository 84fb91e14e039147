"""Joins with a token that nobody has.

It prints the status that it gets; its exit code is 0 if it was refused, and 1 if it was let in.
"""

import sys

import grpc
from _dial import Stream

stream = Stream()
stream.join(token="nobody has this token")
try:
    for response in stream.responses:
        print("I was told:", response.WhichOneof("message"))
        if response.HasField("welcome"):
            sys.exit(1)
except grpc.RpcError as error:
    print(f"{error.code().name}: {error.details()}")
