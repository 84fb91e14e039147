"""Tests of the sandbox with real processes."""
