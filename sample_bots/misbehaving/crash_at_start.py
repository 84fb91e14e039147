"""Ends with exit code 3 before it reads anything."""

import sys

sys.exit(3)
