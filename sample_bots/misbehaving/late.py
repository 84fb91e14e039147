"""Answers properly, but too late: after BOT_SLEEP seconds (1 unless told)."""

import os
import time

from _lines import decisions, submit

for decision in decisions():
    time.sleep(float(os.environ.get("BOT_SLEEP", "1")))
    submit(decision)
