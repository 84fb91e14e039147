"""Numbers and sentences about standings, as the report and the terminal show them."""

from __future__ import annotations

from collections.abc import Sequence

from engine import GAMES
from tournaments.ratings import SEPARATE, Standing, Standings, Table

NOTHING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
SPACE = "\N{NO-BREAK SPACE}"

SYSTEMS = {"trueskill": "TrueSkill", "openskill": "OpenSkill"}

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
    """Write the interval of a rank; a single number if it is certain."""
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
        f"The ranking over all games ({listed([title(game) for game in games])}) is one fold: "
        f"{system(standings)} takes the matches of all of them one after the other, in the order "
        "of the schedule, and all of them change one rating. Scores of different games cannot be "
        "compared, so that mean scores stand in the ranking of each game only."
    )


def played(table: Table) -> tuple[int, ...]:
    """Return the indices of the lines of the entrants that have played."""
    return tuple(n for n, line in enumerate(table.standings) if line.figures.matches)


def close_to(table: Table, n: int) -> list[str]:
    """Return the entrants that are not separable yet from the entrant of line n."""
    return [
        other.entrant
        for other, share in zip(table.standings, table.above[n], strict=True)
        if share is not None and 1 - SEPARATE < share < SEPARATE
    ]


def ahead_of(table: Table, n: int) -> list[str]:
    """Return the entrants that the fit separates from the entrant of line n, as better."""
    return [
        other.entrant
        for other, share in zip(table.standings, table.above[n], strict=True)
        if share is not None and share <= 1 - SEPARATE
    ]


def lead(table: Table) -> str:
    """State who is ahead, and against which entrants that is not certain yet."""
    who = played(table)
    first = [n for n in who if table.standings[n].rank == 1]
    if len(who) < 2:
        return "There is nothing to compare yet: fewer than two entrants have played."
    names = listed([table.standings[n].entrant for n in first])
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
    if standings.rating_system != "trueskill":
        return f"{share}; {system(standings)} needs no draw probability."
    return f"{share}."


def _assumed(standings: Standings, game: str) -> str:
    if standings.rating_system != "trueskill":
        return ""
    return f" (TrueSkill assumes {percent(standings.draw_probability[game], 1)})"


def gain(table: Table) -> str:
    """State how far playing each deal in every seating reduced the variance of the results."""
    found = table.duplicates
    if found is None:
        return "There are too few whole duplicate sets to measure what duplicate deals bring."
    measured = f"measured on {count(found.sets, 'whole set', 'whole sets')}"
    left = f"{percent(found.ratio)} of the variance that as many independent matches would have"
    if found.ratio >= 1:
        return f"The duplicate deals did not reduce luck: a set had {left} ({measured})."
    if found.ratio < 0.01:
        return f"The duplicate deals took out nearly all luck: a set had {left} ({measured})."
    return (
        f"The duplicate deals reduced luck: a set had {left}, so that a match was worth "
        f"{number(1 / found.ratio, 1)} independent ones ({measured})."
    )


def waiting(table: Table) -> str:
    """Name the entrants that have not played; empty if all have."""
    names = [line.entrant for line in table.standings if not line.figures.matches]
    if not names:
        return ""
    return f"{listed(names)} {'has' if len(names) == 1 else 'have'} not played yet."
