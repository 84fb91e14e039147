"""Reads every decision and never answers."""

from _lines import decisions

for _ in decisions():
    pass
