"""Tests of tournaments.model."""
