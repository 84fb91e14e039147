"""Tests of tournaments.replay."""
