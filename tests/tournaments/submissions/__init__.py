"""Tests of tournaments.submissions."""
