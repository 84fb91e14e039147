"""Tests of tournaments.runner."""
