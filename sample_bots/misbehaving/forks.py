"""Leaves two children behind that sleep for an hour and ignore SIGHUP, and ends."""

import os
import signal
import time

for _ in range(2):
    if os.fork() == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        time.sleep(3600)
        os._exit(0)
