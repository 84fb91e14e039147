"""Tests of Glastonbury."""
