"""Tests of tournaments and of the command line."""
