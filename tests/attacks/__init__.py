"""Attacks on the referee, on tournaments, leagues, pages and databases, and their cost."""
