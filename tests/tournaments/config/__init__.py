"""Tests of tournaments.config."""
