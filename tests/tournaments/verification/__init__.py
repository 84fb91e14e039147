"""Tests of tournaments.verification."""
