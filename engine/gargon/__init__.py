"""Gargon, for 3 to 5 seats: lay creatures in colours, fight, and collect amulets."""

from engine.gargon.rules import Gargon

__all__ = ["Gargon"]
