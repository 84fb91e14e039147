"""Numbers and sentences about standings, as the report and the terminal show them."""

from __future__ import annotations

from collections.abc import Sequence

from engine import GAMES
from tournaments.model import SEQUENTIAL, WHOLE_HISTORY, Claims
from tournaments.ratings import Standing, Standings, Table

NOTHING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
SPACE = "\N{NO-BREAK SPACE}"

SYSTEMS = {
    WHOLE_HISTORY: "TrueSkill",
    SEQUENTIAL: "TrueSkill, match by match",
    "openskill": "OpenSkill",
}

MOST_NAMES = 8
"""The most entrants that a sentence names."""


def number(value: float | None, decimals: int = 0) -> str:
    """Write a number with thousands separators and a minus sign; a dash for None."""
    if value is None:
        return NOTHING
    return f"{value + 0.0:z,.{decimals}f}".replace("-", MINUS)


def ordinal(place: int) -> str:
    """Write a place: 1st, 2nd, 3rd, 4th; no table has 21 seats."""
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")


def percent(share: float, decimals: int = 0) -> str:
    """Write a share of one in percent."""
    return f"{number(100 * share, decimals)}{SPACE}%"


def chance(share: float) -> str:
    """Write a probability in whole percent without the sign, never as a certainty."""
    if share < 0.01:
        return "<1"
    return ">99" if share > 0.99 else number(100 * share)


def interval(low: float, high: float, decimals: int = 0) -> str:
    """Write both ends of an interval."""
    return f"{number(low, decimals)} to {number(high, decimals)}".replace(" ", SPACE)


def skill_interval(line: Standing) -> str:
    """Write the interval of a skill; a dash for an entrant that has not played."""
    return interval(line.skill.low, line.skill.high, 2) if line.skill else NOTHING


def ranks(line: Standing) -> str:
    """Write the interval of a rank; a single number if it is certain, a dash without a match."""
    if line.rank is None:
        return NOTHING
    if line.rank_low == line.rank_high:
        return str(line.rank_low)
    return f"{line.rank_low}\N{EN DASH}{line.rank_high}"


def letters(line: Standing) -> str:
    """Write the groups of an entrant side by side."""
    return ("" if all(len(letter) == 1 for letter in line.groups) else " ").join(line.groups)


def count(amount: int, one: str, more: str) -> str:
    """Write how many there are of something."""
    return f"{number(amount)} {one if amount == 1 else more}"


def listed(names: Sequence[str]) -> str:
    """Name the entrants one after the other, or the first of them and how many more there are."""
    if len(names) > MOST_NAMES:
        rest = len(names) - MOST_NAMES + 1
        return f"{', '.join(names[: MOST_NAMES - 1])} and {rest} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def system(standings: Standings) -> str:
    """Name the rating system as its authors write it."""
    return SYSTEMS.get(standings.rating_system, standings.rating_system)


def title(game: str) -> str:
    """Return the title of a game; of an unknown game its short name."""
    return GAMES[game].spec.title if game in GAMES else game


def over_all_games(standings: Standings) -> str:
    """Explain the ranking over several games; empty if there is only one."""
    games = standings.overall.games
    if len(games) < 2:
        return ""
    return (
        f"The ranking over all games ({listed([title(game) for game in games])}) is one rating: "
        f"the matches of all of them {_taken(standings)}. Scores of different games cannot be "
        "compared, so that mean scores stand in the ranking of each game only."
    )


def _taken(standings: Standings) -> str:
    if standings.rating_system == WHOLE_HISTORY:
        return "are rated together"
    return "are rated one after the other, in the order of the schedule"


def method(standings: Standings) -> str:
    """State which matches a rating is made from, and how."""
    if standings.rating_system == WHOLE_HISTORY:
        return (
            "after all matches, in whatever order they were played. Sigma includes by how much "
            "the results of duplicate sets vary more than those of independent matches would"
        )
    return "after all matches in the order of the schedule"


def played(table: Table) -> tuple[int, ...]:
    """Return the indices of the lines of the entrants that have played."""
    return tuple(n for n, line in enumerate(table.standings) if line.figures.matches)


def close_to(table: Table, n: int) -> list[str]:
    """Return the entrants that are not told apart yet from the entrant of line n."""
    mine = table.standings[n].rated
    others = [table.standings[other] for other in played(table) if other != n]
    return [
        other.entrant
        for other in others
        if not table.is_ahead(mine, other.rated) and not table.is_ahead(other.rated, mine)
    ]


def ahead_of(table: Table, n: int) -> list[str]:
    """Return the entrants that are claimed to be better than the entrant of line n."""
    mine = table.standings[n].rated
    return [each.entrant for each in table.standings if table.is_ahead(each.rated, mine)]


def lead(table: Table) -> str:
    """State who is ahead, and against which entrants that is not certain yet."""
    who = played(table)
    first = [n for n in who if table.standings[n].rank == 1]
    if len(who) < 2:
        return "There is nothing to compare yet: fewer than two entrants have played."
    names = listed([table.standings[n].entrant for n in first])
    if table.tie_rate == 1:
        return "No entrant is ahead: in every match, all were level."
    if len(first) == len(who):
        return f"No entrant is ahead: {names} have the same rating."
    if len(first) > 1:
        return f"{names} share the first rank."
    better = ahead_of(table, first[0])
    if better:
        return (
            f"{names} has the highest rating, but {listed(better)} the better results in the fit."
        )
    close = close_to(table, first[0])
    if not close:
        return f"{names} is ahead, and can be told apart from all others."
    return f"{names} is ahead, but cannot be told apart yet from {listed(close)}."


def claims(table: Table) -> str:
    """State with which confidence, and at which moments, the claims of a table hold."""
    return f"What is told apart, groups and ranks hold {held(table.confidence, table.claims)}."


def held(confidence: float, kind: str) -> str:
    """Write how claims hold together, and when."""
    when = (
        "at every moment, however often one looks"
        if kind == Claims.ANYTIME
        else "at the end of the schedule"
    )
    sure = percent(confidence, 0 if round(100 * confidence, 6).is_integer() else 1)
    return f"for all pairs of a table together with a confidence of {sure} {when}"


def one_look(claims: str) -> str:
    """Write that an interval holds at one look, where other claims hold at every moment."""
    return " and at one look" if claims == Claims.ANYTIME else ""


def draws(standings: Standings) -> str:
    """State the tie rate of each game, and the draw probability that the rating system assumes."""
    if not standings.overall.matches:
        return "There are no matches yet from which to measure how often places are shared."
    if len(standings.by_game) > 1:
        rates = [
            f"{percent(table.tie_rate, 1)} in {title(game)}{_assumed(standings, game)}"
            for game, table in standings.by_game.items()
        ]
        share = f"Of neighbouring places in a match were level: {listed(rates)}"
    else:
        (game,) = standings.by_game
        level = f"{percent(standings.overall.tie_rate, 1)} of neighbouring places in a match"
        share = f"{level} were level{_assumed(standings, game)}"
    if not standings.rating_system.startswith("trueskill"):
        return f"{share}; {system(standings)} needs no draw probability."
    return f"{share}."


def _assumed(standings: Standings, game: str) -> str:
    if not standings.rating_system.startswith("trueskill"):
        return ""
    return f" (TrueSkill assumes {percent(standings.draw_probability[game], 1)})"


def gain(table: Table) -> str:
    """State how far duplicate deals reduced the variance of the results.

    Empty where there are none, or too few whole sets to measure it.
    """
    found = table.duplicates
    if found is None:
        return ""
    measured = f"measured on {count(found.sets, 'whole set', 'whole sets')}"
    within = f"95{SPACE}%: {percent(found.low)} to {percent(found.high)}"
    left = f"{percent(found.ratio)} ({within}) of the variance of as many independent matches"
    if found.high >= 1:
        return f"Duplicate deals brought no measurable gain: a set had {left}, {measured}."
    return f"Duplicate deals reduced luck: a set had {left}, {measured}{_worth(found.ratio)}."


def _worth(ratio: float) -> str:
    return f"; a match was worth {number(1 / ratio, 1)} independent ones" if ratio >= 0.01 else ""


def waiting(table: Table) -> str:
    """Name the entrants that have not played; empty if all have."""
    names = [line.entrant for line in table.standings if not line.figures.matches]
    if not names:
        return ""
    return f"{listed(names)} {'has' if len(names) == 1 else 'have'} not played yet."
