"""Pairing: the matches of a tournament or a league, as functions of values.

The unit is the duplicate set: one deal at one table, played in every rotation of the seats, so that
the luck of the cards and of the seat cancels. A full schedule has every table that can be seated,
for each game, table size and variant. Where that is more than the organiser's limit, the limit is
shared out evenly by matches, first between the games and then within each, and the tables are
chosen so that entrants and pairs play as evenly as the search finds (``selection``); ``balance``
counts how even the result is.

The id of a set derives from its content, and sets are sorted by their number at the table and then
by id, so by their own content alone. More entrants, games, variants or sets therefore only add sets
among those that are there; and the first sets of all tables come before any second.
"""

from __future__ import annotations

from tournaments.pairing.balance import Balance, Evenness, Range
from tournaments.pairing.divisions import divided, next_divisions
from tournaments.pairing.growing import complete_sets, grown, match_bounds
from tournaments.pairing.knock_out import BYE, Series, series_of
from tournaments.pairing.knock_out import Part as BracketPart
from tournaments.pairing.league_stats import LeagueStats, Present, circles_of
from tournaments.pairing.matchmaking import PairingState, choose_several
from tournaments.pairing.rest import Settlement, settlement
from tournaments.pairing.round_robin import Schedule, count_matches, schedule
from tournaments.pairing.rounds import MOST_SECONDS_AWAY, Dropped, dropped
from tournaments.pairing.swiss import (
    SetResults,
    SwissRound,
    evenness_of_rounds,
    rounds_of,
    swiss_places,
)
from tournaments.pairing.until_settled import Limits, growing_rounds, growth_problems, limits

__all__ = [
    "BYE",
    "MOST_SECONDS_AWAY",
    "Balance",
    "BracketPart",
    "Dropped",
    "Evenness",
    "LeagueStats",
    "Limits",
    "PairingState",
    "Present",
    "Range",
    "Schedule",
    "Series",
    "SetResults",
    "Settlement",
    "SwissRound",
    "choose_several",
    "circles_of",
    "complete_sets",
    "count_matches",
    "divided",
    "dropped",
    "evenness_of_rounds",
    "growing_rounds",
    "grown",
    "growth_problems",
    "limits",
    "match_bounds",
    "next_divisions",
    "rounds_of",
    "schedule",
    "series_of",
    "settlement",
    "swiss_places",
]
