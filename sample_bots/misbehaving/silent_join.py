"""Opens the stream and never joins; prints the status with which the referee ends it."""

import grpc
from _dial import Stream

try:
    for response in Stream().responses:
        print("I was told:", response.WhichOneof("message"))
except grpc.RpcError as error:
    print(f"{error.code().name}: {error.details()}")
