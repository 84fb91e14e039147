"""Tests of tournaments.pairing."""
