"""Tests of referee.wire."""
