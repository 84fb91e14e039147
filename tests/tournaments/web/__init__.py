"""Tests of tournaments.web."""
