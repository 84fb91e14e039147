"""Numbers and sentences about standings, as the report and the terminal show them."""

from __future__ import annotations

from collections.abc import Sequence

from engine import GAMES
from tournaments.ratings import Standing, Standings, Table
from tournaments.ratings.order import SEPARATE
from tournaments.ratings.rating import DRAWS

NOTHING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
SPACE = "\N{NO-BREAK SPACE}"

SYSTEMS = {"trueskill": "TrueSkill", "openskill": "OpenSkill"}

MOST_NAMES = 8
"""A sentence names no more entrants than this."""


def number(value: float | None, decimals: int = 0) -> str:
    """Write a number with its thousands set apart and a true minus sign; a dash for none."""
    if value is None:
        return NOTHING
    return f"{value + 0.0:z,.{decimals}f}".replace("-", MINUS)


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
    """Write the interval of a skill; a dash for who has not played."""
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
    """Name a game as its makers do; one that is not known here by its short name."""
    return GAMES[game].spec.title if game in GAMES else game


def over_all_games(standings: Standings) -> str:
    """Say what the ranking over several games is; empty if there is but one."""
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
    """Return where in the table those stand who have played."""
    return tuple(n for n, line in enumerate(table.standings) if line.figures.matches)


def close_to(table: Table, n: int) -> list[str]:
    """Return those who cannot be told apart yet from the entrant who stands there."""
    return [
        other.entrant
        for other, share in zip(table.standings, table.above[n], strict=True)
        if share is not None and 1 - SEPARATE < share < SEPARATE
    ]


def ahead_of(table: Table, n: int) -> list[str]:
    """Return those whom the fit tells apart from the entrant who stands there, as better."""
    return [
        other.entrant
        for other, share in zip(table.standings, table.above[n], strict=True)
        if share is not None and share <= 1 - SEPARATE
    ]


def lead(table: Table) -> str:
    """Say who is ahead, and of whom that is not certain yet."""
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
        return f"{names} is ahead, and can be told apart from everybody else."
    return f"{names} is ahead, but cannot be told apart yet from {listed(close)}."


def draws(standings: Standings) -> str:
    """State the tie rate, and what the rating system was told of it; of each game its own."""
    if not standings.overall.matches:
        return "There are no matches yet from which to measure how often places are shared."
    if len(standings.by_game) > 1:
        return _draws_in_each(standings)
    table = standings.overall
    share = f"{percent(table.tie_rate, 1)} of neighbouring places in a match were level"
    if standings.rating_system != "trueskill":
        return f"{share}; {_no_draws(standings)}"
    if table.draw_probability is None or table.draw_probability == table.tie_rate:
        return f"{share}; this is the draw probability that TrueSkill was told."
    told = percent(table.draw_probability, 1)
    return f"{share}; TrueSkill was told a draw probability of {told}, the nearest it can take."


def _draws_in_each(standings: Standings) -> str:
    rates = [
        f"{percent(of_game.table.tie_rate, 1)} in {title(game)}"
        for game, of_game in standings.by_game.items()
    ]
    share = f"Of neighbouring places in a match were level: {listed(rates)}"
    if standings.rating_system != "trueskill":
        return f"{share}; {_no_draws(standings)}"
    return (
        f"{share}; TrueSkill was told for each match the share of its game as the draw "
        f"probability, but at least {percent(DRAWS[0])} and at most {percent(DRAWS[1])}."
    )


def _no_draws(standings: Standings) -> str:
    return f"{system(standings)} does not ask for a draw probability."


def gain(table: Table) -> str:
    """Say what playing each deal in every seating did to the luck in the results."""
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
    """Name those who have not played; empty if everybody has."""
    names = [line.entrant for line in table.standings if not line.figures.matches]
    if not names:
        return ""
    return f"{listed(names)} {'has' if len(names) == 1 else 'have'} not played yet."
