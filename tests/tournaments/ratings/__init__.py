"""Tests of tournaments.ratings."""
