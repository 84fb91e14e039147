"""Tests of Gargon."""
