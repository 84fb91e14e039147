"""Tests of tournaments.export."""
