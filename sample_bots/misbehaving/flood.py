"""Writes answers without end, as fast as it can: valid ones, but to questions nobody asked."""

import sys

LINE = '{"submit_move":{"match":"m","decision_id":1,"move":{"glastonbury":{"take":1}}}}\n'

while True:
    sys.stdout.write(LINE * 1000)
