"""``highstreet league final`` and ``publish``: a tournament among the best of a league."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from engine import UsageError
from referee.runtime import write_whole
from tournaments.cli.files import file_errors, refuse_existing
from tournaments.cli.options import (
    EXISTING_FOLDER,
    FILE,
    database_options,
    existing_database_url,
)
from tournaments.cli.output import Answer, client_command, league_argument, text_table
from tournaments.model import BY_ROUNDS, KNOCK_OUTS, Format, GameSettings, LeagueSettings

if TYPE_CHECKING:
    from tournaments.runner import TournamentFolder
    from tournaments.server import SubmissionClient

NO_PACKAGES: Final = "takes no packages"
"""What a server says that runs no submitted bots."""
_FORMATS: Final = (*BY_ROUNDS, Format.ROUND_ROBIN)


@client_command("final")
@league_argument
@click.option("--top", type=click.IntRange(min=2), default=8, show_default=True)
@click.option("--format", "format_", type=click.Choice(_FORMATS), default=Format.KNOCK_OUT)
@click.option("--best-of", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--season", type=click.IntRange(min=1), help="Of this season; default: the newest.")
@click.option("--division", type=click.IntRange(min=1), help="Of this division alone.")
@click.option("--out", type=FILE, required=True, help="The folder to write; it must not exist.")
def command(
    client: SubmissionClient,
    league: str,
    top: int,
    format_: str,
    best_of: int,
    season: int | None,
    division: int | None,
    out: Path,
) -> Answer:
    """Write a tournament file for a final among the best bots of LEAGUE, in the order of the table.

    Submitted bots come as packages, which needs an organiser's token unless they are public. Bots
    that dial in are remote entrants: `highstreet tournament tokens` has their new tokens.

    \b
    Example:
      highstreet league final spring --top 8 --out spring-final
      highstreet tournament run spring-final/final.toml
    """  # noqa: D301  click's mark for "keep the lines"
    refuse_existing(out)
    settings = client.settings(league)
    lines, _ = client.standings(league, season=season or 0, division=division or 0)
    best = [line["entrant"] for line in lines if line["current"] and line["matches"]][:top]
    if len(best) < 2:
        raise UsageError(f"{len(best)} bots of {league} have played: a final needs at least two.")
    packages = {name: _package(client, league, name) for name in best}
    names = _file_names(best)
    with file_errors("write", out):
        (out / "packages").mkdir(parents=True)
        for name, packed in packages.items():
            if packed is not None:
                write_whole(out / "packages" / f"{names[name]}.tar.gz", packed)
        chosen = Format(format_)
        text = _file(settings, chosen, best_of, {names[n]: packages[n] is not None for n in best})
        write_whole(out / "final.toml", text.encode())
    rows = [
        (str(seed), name, "package" if packages[name] is not None else "remote")
        for seed, name in enumerate(best, 1)
    ]
    values = {"file": str(out / "final.toml"), "entrants": [names[name] for name in best]}
    said = f"written; play it with: highstreet tournament run {out / 'final.toml'}"
    return Answer(values, said, text_table(("seed", "bot", ""), rows))


@click.command("publish")
@league_argument
@click.argument("folder", type=EXISTING_FOLDER)
@click.option("--season", type=click.IntRange(min=1), help="Of this season; default: the newest.")
@database_options
def publish(
    league: str, folder: Path, season: int | None, data: Path | None, database: str | None
) -> None:
    """Show the final that was played in FOLDER on the page of LEAGUE, and keep its records there.

    FOLDER is that of a tournament, such as `highstreet tournament run` makes. Its bracket or table
    is on the page of the league from now on, and no retention rule removes its records. Publish it
    again after more matches have been played. The server may go on meanwhile.

    \b
    Example:
      highstreet league publish spring spring-final/final --data leagues
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.runner import at_rest, opened  # noqa: PLC0415  slow to load
    from tournaments.store import Store  # noqa: PLC0415  slow to load

    url = existing_database_url(data, database)
    with at_rest(folder), opened(folder) as final, Store.open(url, migrate=False) as store:
        document = _document(final)
        records = _records(final)
        title, winner = document["title"], (document["rounds"] or {}).get("winner")
        published = store.publish_final(
            league,
            final.store.secrets()[0].commitment,
            json.dumps(document, ensure_ascii=False),
            records,
            season=season,
            text=f"The final {title} is published" + (f"; {winner} has won." if winner else "."),
        )
    of_season = f" of season {published.season}" if published.season else ""
    click.echo(
        f"{league}: final {published.number}{of_season} is published: {title}, "
        f"{document['matches']} matches"
    )


def _document(final: TournamentFolder) -> dict[str, Any]:
    """Return what the page of a league shows of a final."""
    from tournaments.pairing import complete_sets  # noqa: PLC0415  slow to load
    from tournaments.report import as_values, rounds_view  # noqa: PLC0415  slow to load

    results, tournament = final.results(), final.tournament
    if not results:
        raise UsageError(f"no match has been played in {final.path}: play the final first.")
    view = rounds_view(tournament.request(), complete_sets(final.schedule.sets, results))
    return {
        "title": tournament.title,
        "format": tournament.format.value,
        "matches": len(results),
        "rounds": None if view is None else as_values(view),
        "standings": [
            {
                "rank": line.rank,
                "entrant": line.entrant,
                "rating": round(line.rating.conservative, 6),
                "matches": line.figures.matches,
                "wins": line.figures.wins,
            }
            for line in final.standings().overall.standings
        ],
        "secrets": [each.secret.hex() for each in final.store.secrets() if each.published],
    }


def _records(final: TournamentFolder) -> Iterator[tuple[str, bytes]]:
    """Yield the records of the sets that are complete."""
    for set_id in final.complete_sets():
        matches = [match.id for match in final.matches_of(set_id)]
        yield from final.store.released_records(matches).items()


def _package(client: SubmissionClient, league: str, name: str) -> bytes | None:
    """Return the package of the version that plays; None for a bot that dials in."""
    from tournaments.server import LeagueClientError  # noqa: PLC0415  slow to load

    try:
        active = [each for each in client.submissions(league, name) if each["state"] == "active"]
    except LeagueClientError as error:
        if NO_PACKAGES in str(error):
            return None
        raise
    return client.download(active[0]["package"]) if active else None


def _file_names(names: list[str]) -> dict[str, str]:
    """Return a name that a tournament file allows for each entrant."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^\w.+ -]", "_", name, flags=re.ASCII).strip(" .-") or "bot"
        numbered = (f"{plain}-{number}" for number in count(2))
        taken = set(found.values())
        found[name] = plain if plain not in taken else next(n for n in numbered if n not in taken)
    return found


def _file(
    settings: LeagueSettings, format_: Format, best_of: int, entrants: dict[str, bool]
) -> str:
    """Return the tournament file; ``entrants`` say whether each has a package."""
    lines = [f"name = {_toml(f'{settings.title}: final'[:100])}", f"format = {_toml(format_)}"]
    if format_ in KNOCK_OUTS:
        lines.append(f"best_of = {best_of}")
    for game in settings.games:
        lines += ["", "[[games]]", *_game(game, pairs=format_ in BY_ROUNDS)]
    for name, table in (
        ("time_control", settings.time_control.as_dict()),
        ("policy", settings.policy.as_dict()),
    ):
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    for name, packed in entrants.items():
        how = f"package = {_toml(f'packages/{name}.tar.gz')}" if packed else "remote = true"
        lines += ["", "[[entrants]]", f"name = {_toml(name)}", how]
    return "\n".join(lines) + "\n"


def _game(game: GameSettings, *, pairs: bool) -> list[str]:
    sizes = [2] if pairs and 2 in game.table_sizes else list(game.table_sizes)
    lines = [f"game = {_toml(game.game)}", f"table_sizes = {_toml(sizes)}"]
    if game.draw_probability is not None:
        lines.append(f"draw_probability = {game.draw_probability}")
    variants = []
    for option in game.rules.spec.options_offered:
        if option.variant:
            found = {variant: game.values_of(variant)[option.name] for variant in game.variants}
            values = list(dict.fromkeys(found.values()))
            if isinstance(option.default, bool):
                word = "both" if len(values) > 1 else "on" if values[0] else "off"
                variants.append(f"{option.name} = {_toml(word)}")
            else:
                variants.append(f"{option.name} = {_toml(values)}")
    if variants:
        lines.append(f"variants = {{ {', '.join(variants)} }}")
    if game.options:
        lines.append(f"options = {{ {', '.join(game.options_said())} }}")
    return lines


def _toml(value: Any) -> str:
    """Return a text, number, switch or list as TOML; JSON writes these alike."""
    return json.dumps(value, ensure_ascii=False)
