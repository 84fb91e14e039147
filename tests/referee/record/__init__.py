"""Tests of referee.record."""
