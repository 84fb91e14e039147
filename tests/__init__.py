"""Tests mirror the packages; data/ holds what they compare with."""
