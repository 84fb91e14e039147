"""The garbage collector of a process that referees: rarely, and not over what stays.

A match makes thousands of small values that refer to each other in no circle and die young. The
collector would look for circles among them a hundred times in a match, and from time to time among
everything that was ever imported.
"""

from __future__ import annotations

import gc
from typing import Final

THRESHOLDS: Final = (20_000, 20, 50)
"""How many values must be made between two collections of the young, and so on."""


def collect_rarely() -> None:
    """Leave out everything that there is now, and look at the rest at times."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
