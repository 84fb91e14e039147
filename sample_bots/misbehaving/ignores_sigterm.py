"""Plays properly, but ends neither at goodbye nor at the end of the input, and ignores SIGTERM."""

import signal
import time

from _lines import decisions, submit

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for decision in decisions():
    submit(decision)
while True:
    time.sleep(3600)
