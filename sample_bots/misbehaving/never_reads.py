"""Reads nothing and writes nothing; over gRPC it joins first, with HIGHSTREET_TARGET set."""

import os
import time

if "HIGHSTREET_TARGET" in os.environ:
    from _dial import Stream

    stream = Stream()
    stream.join()

time.sleep(3600)
