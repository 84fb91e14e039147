"""Kupferkessel Co., for 2 or 3 seats: collect ingredients around a square of cards."""

from engine.kupferkessel.rules import Kupferkessel

__all__ = ["Kupferkessel"]
