"""Tests of tournaments.cli."""
