"""Glastonbury, for 2 to 4 seats: collect ingredients around a square of cards."""

from engine.glastonbury.rules import Glastonbury

__all__ = ["Glastonbury"]
