"""Tests that open pages in a real browser; they need playwright and Chromium."""
