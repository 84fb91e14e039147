"""Tests of tournaments.worker."""
