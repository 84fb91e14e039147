"""A trivial gRPC bot as a process of its own: plays the first legal move."""

from __future__ import annotations

import asyncio
import os
import sys

import grpc

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
from benchmarks.clients import bots

if __name__ == "__main__":
    try:
        asyncio.run(bots(os.environ["HIGHSTREET_TARGET"], [os.environ["HIGHSTREET_TOKEN"]]))
    except (KeyboardInterrupt, grpc.RpcError):
        sys.exit(1)
