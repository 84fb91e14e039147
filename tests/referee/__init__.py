"""Tests of the referee: one match, from the first question to its record."""
