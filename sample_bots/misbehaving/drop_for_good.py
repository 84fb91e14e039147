"""Plays three decisions, drops its connection at the fourth and never comes back."""

import time

from _dial import Stream

stream, seen = Stream(), 0
stream.join()
for response in stream.responses:
    if response.HasField("decision"):
        seen += 1
        if seen > 3:
            break
        stream.submit(response.decision)
stream.cut()
time.sleep(3600)
