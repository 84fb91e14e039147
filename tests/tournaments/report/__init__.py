"""Tests of tournaments.report."""
