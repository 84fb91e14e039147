"""Tests of standing leagues."""
