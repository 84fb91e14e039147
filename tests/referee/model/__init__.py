"""Tests of referee.model."""
