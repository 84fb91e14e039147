"""Tests of Kupferkessel Co."""
