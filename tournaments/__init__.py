"""Competitions of many matches: pairing, running, rating and showing them."""
