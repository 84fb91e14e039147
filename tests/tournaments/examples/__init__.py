"""Tests of tournaments.examples."""
