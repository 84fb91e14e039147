"""Speed, measured as ratios in one run: ``python -m benchmarks``."""

from importlib import import_module

import_module("referee")  # before gRPC is loaded, which it has something to say about
