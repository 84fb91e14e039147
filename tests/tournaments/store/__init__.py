"""Tests of tournaments.store."""
