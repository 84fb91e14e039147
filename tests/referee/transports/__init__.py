"""Tests of referee.transports."""
