"""A standing league: bots come and go, matches go on."""
