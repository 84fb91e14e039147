"""Tests of tournaments, by package; what several of them need is here."""
