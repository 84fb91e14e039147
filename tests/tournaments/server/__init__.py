"""Tests of tournaments.server."""
