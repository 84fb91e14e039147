"""Tests of referee.match_service."""
