"""Tests of referee.match."""
