"""Tests of referee.runtime."""
