"""Tests of Festo!."""
