"""Who plays whom: the matches of a tournament, as a function of its entrants and settings.

The unit is the duplicate set: one deal at one table, played in every rotation of the seats, so that
the luck of the cards and of the seat cancels. A full schedule has every table that can be seated,
for each game, table size and variant. Where that is more than the organiser's limit, the limit is
shared out evenly by matches, first between the games and then within each, and the tables are
chosen so that entrants and pairs play as evenly as can be found (``selection``); how even it came
out is counted (``balance``), never assumed.

The id of a set derives from its content, and sets are sorted by their number at the table and then
by id, so by their own content alone. More entrants, games, variants or sets therefore only add sets
among those that are there; and the first sets of all tables come before any second.
"""

from tournaments.schedule.build import Schedule, count_matches, schedule
from tournaments.schedule.request import Entry, Format, GameRequest, Request
from tournaments.schedule.sets import DuplicateSet, ScheduledMatch, Seatings

__all__ = [
    "DuplicateSet",
    "Entry",
    "Format",
    "GameRequest",
    "Request",
    "Schedule",
    "ScheduledMatch",
    "Seatings",
    "count_matches",
    "schedule",
]
