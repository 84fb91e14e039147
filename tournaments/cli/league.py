"""``highstreet league``: make leagues, enter bots, and look at what they do."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine import UsageError
from referee.files import write_whole
from referee.record import printable
from tournaments.cli.common import INTERRUPTED
from tournaments.cli.league_options import Connection, database_options, server_connection

POLL: Final = 2.0
"""How often ``watch`` looks, in seconds."""
FIRST: Final = 10
"""How many matches that are over already ``watch`` begins with."""
RECENT: Final = 200
_STATES: Final = ("scheduled", "running", "played", "annulled", "dropped")

_league = click.argument("league")
_name = click.argument("name")
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_reason = click.option("--reason", required=True, help="Why; everybody can read it.")


@click.group("league")
def command() -> None:
    """Make leagues on a league server, enter bots, and look at what they do.

    The server is --server, HIGHSTREET_SERVER, or `server` in ~/.config/highstreet/config.toml. A
    token comes from --token-file, from HIGHSTREET_TOKEN, or from that file, and never from the
    command line, where others can read it:

    \b
      server = "league.example:7000"
      [servers."league.example:7000"]
      token = "…"

    \b
    Examples:
      highstreet league init spring.toml
      highstreet league create spring spring.toml --server league.example:7000
      highstreet league standings spring
    """  # noqa: D301  click's mark for "keep the lines"


# Leagues ----------------------------------------------------------------------------------------


@command.command("init")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def init(file: Path) -> None:
    """Write a commented example of a league into FILE.

    \b
    Example:
      highstreet league init spring.toml
    """  # noqa: D301  click's mark for "keep the lines"
    if file.exists():
        raise UsageError(f"{file} is there already: name another file.")
    try:
        write_whole(file, _template().encode())
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}.") from None
    click.echo(f"{file} is written; change what you like, then: highstreet league create ID {file}")


def _template() -> str:
    return files("tournaments.league").joinpath("template.toml").read_text(encoding="utf-8")


@command.command("create")
@_league
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_as_json
@server_connection
def create(connection: Connection, league: str, file: Path, as_json: bool) -> None:  # noqa: FBT001
    """Make the league LEAGUE as FILE describes it. For organisers.

    \b
    Example:
      highstreet league create spring spring.toml --server league.example:7000
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.league.file import parse_league  # noqa: PLC0415  slow to load

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {error}.") from None
    settings = parse_league(text, str(file))
    with connection.client() as client:
        made = client.create(league, settings, secrets.token_urlsafe(12))
    _print(made, f'the league "{league}" is open', as_json=as_json)


@command.command("list")
@_as_json
@server_connection
def list_leagues(connection: Connection, as_json: bool) -> None:  # noqa: FBT001
    """List the leagues of the server.

    \b
    Example:
      highstreet league list --server league.example:7000
    """  # noqa: D301  click's mark for "keep the lines"
    with connection.client() as client:
        found = list(client.leagues())
    if as_json:
        return _print_json(found)
    rows = [
        (each["league"], each["settings"]["title"], each["state"], each["settings"]["scheduler"])
        for each in found
    ]
    return _print_table(("league", "title", "state", "scheduler"), rows)


@command.command("close")
@_league
@_as_json
@server_connection
def close(connection: Connection, league: str, as_json: bool) -> None:  # noqa: FBT001
    """End a league: what is running finishes, nothing more begins. For organisers.

    \b
    Example:
      highstreet league close spring
    """  # noqa: D301  click's mark for "keep the lines"
    with connection.client() as client:
        closed = client.close(league)
    _print(closed, f'the league "{league}" is closed', as_json=as_json)


# Entrants ---------------------------------------------------------------------------------------


@command.command("enter")
@_league
@_name
@click.option("--author", default="", help="Who wrote the bot; default: nobody is named.")
@click.option(
    "--token-out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the token of the bot into this file, for its owner alone; default: print it.",
)
@_as_json
@server_connection
def enter(
    connection: Connection,
    league: str,
    name: str,
    author: str,
    token_out: Path | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Enter the bot NAME, and print its token, which is shown this once.

    \b
    Example:
      highstreet league enter spring greedy --author Ann --token-out greedy.token
    """  # noqa: D301  click's mark for "keep the lines"
    if token_out is not None and token_out.exists():
        raise UsageError(f"{token_out} is there already: name another file.")
    with connection.client() as client:
        entrant, token = client.enter(league, name, author, secrets.token_urlsafe(12))
    if token_out is not None:
        _write_secret(token_out, token)
        token = f"in {token_out}"
    if as_json:
        _print_json({"entrant": entrant, "token": token})
    else:
        click.echo(f"token of {printable(entrant['name'])}: {token}")


@command.command("withdraw")
@_league
@_name
@click.option("--reason", default="", help="Why; everybody can read it.")
@_as_json
@server_connection
def withdraw(connection: Connection, league: str, name: str, reason: str, as_json: bool) -> None:  # noqa: FBT001
    """Take a bot out of a league; what it has played counts. For organisers and the bot itself.

    \b
    Example:
      highstreet league withdraw spring greedy --reason "a better one comes"
    """  # noqa: D301  click's mark for "keep the lines"
    with connection.client() as client:
        entrant = client.withdraw(league, name, reason)
    _print(entrant, f"{name} is withdrawn from {league}", as_json=as_json)


@command.command("disqualify")
@_league
@_name
@_reason
@_as_json
@server_connection
def disqualify(connection: Connection, league: str, name: str, reason: str, as_json: bool) -> None:  # noqa: FBT001
    """Take a bot and all its results out of a league. For organisers.

    \b
    Example:
      highstreet league disqualify spring greedy --reason "it is a copy of another bot"
    """  # noqa: D301  click's mark for "keep the lines"
    with connection.client() as client:
        entrant = client.disqualify(league, name, reason)
    _print(entrant, f"{name} is disqualified from {league}", as_json=as_json)


@command.command("unbench")
@_league
@_name
@_as_json
@server_connection
def unbench(connection: Connection, league: str, name: str, as_json: bool) -> None:  # noqa: FBT001
    """Let a bot play again that was benched after forfeits. For organisers and the bot itself.

    \b
    Example:
      highstreet league unbench spring greedy
    """  # noqa: D301  click's mark for "keep the lines"
    with connection.client() as client:
        entrant = client.unbench(league, name)
    _print(entrant, f"{name} may play again in {league}", as_json=as_json)


@command.command("entrants")
@_league
@_as_json
@server_connection
def entrants(connection: Connection, league: str, as_json: bool) -> None:  # noqa: FBT001
    """List who takes part, who is there now, and why somebody does not play.

    \b
    Example:
      highstreet league entrants spring
    """  # noqa: D301  click's mark for "keep the lines"
    with connection.client() as client:
        found = list(client.entrants(league))
    if as_json:
        return _print_json(found)
    rows = [
        (
            each["name"],
            each["author"],
            each["state"],
            str(each["connections"] or "-"),
            ", ".join(version or '""' for version in each["versions"]),
            each["reason"],
        )
        for each in found
    ]
    return _print_table(("name", "author", "state", "here", "versions", "reason"), rows)


# Standings and matches --------------------------------------------------------------------------


@command.command("standings")
@_league
@click.option("--game", default="", help="The table of this game alone.")
@click.option(
    "--seats", type=click.IntRange(min=1), help="The table of matches with so many seats alone."
)
@click.option("--variant", default="", help="The table of this variant alone.")
@_as_json
@server_connection
def standings(
    connection: Connection,
    league: str,
    game: str,
    seats: int | None,
    variant: str,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Show the table of a league, or of a part of it, the best first.

    \b
    Examples:
      highstreet league standings spring
      highstreet league standings spring --seats 4 --variant recipes
    """  # noqa: D301  click's mark for "keep the lines"
    with connection.client() as client:
        found, matches = client.standings(league, game=game, seats=seats or 0, variant=variant)
    if as_json:
        return _print_json({"matches": matches, "standings": found})
    rows = [
        (
            str(each["rank"]) if each["matches"] else "-",
            each["name"],
            f"{each['rating']:.2f}",
            f"{each['mu']:.2f}",
            f"{each['sigma']:.2f}",
            str(each["matches"]),
            f"{each['rank_low']}-{each['rank_high']}" if each["matches"] else "-",
            str(each["forfeits"]),
        )
        for each in found
    ]
    titles = ("rank", "bot", "rating", "mu", "sigma", "matches", "ranks", "forfeits")
    _print_table(titles, rows)
    return click.echo(f"{matches} matches")


@command.command("matches")
@_league
@click.option("--entrant", default="", help="Only matches of this bot.")
@click.option("--game", default="", help="Only matches of this game.")
@click.option("--state", default="", type=click.Choice(["", *_STATES]), help="Only such matches.")
@click.option("--most", type=click.IntRange(min=1), default=50, show_default=True)
@_as_json
@server_connection
def matches(
    connection: Connection,
    league: str,
    entrant: str,
    game: str,
    state: str,
    most: int,
    as_json: bool,  # noqa: FBT001
) -> None:
    """List matches, the newest first.

    \b
    Example:
      highstreet league matches spring --entrant greedy --state played
    """  # noqa: D301  click's mark for "keep the lines"
    with connection.client() as client:
        wanted = client.matches(league, entrant=entrant, game=game, state=state)
        found = list(islice(wanted, most))
    if as_json:
        return _print_json(found)
    rows = [
        (each["match"], each["game"], each["variant"], each["state"], _result(each))
        for each in found
    ]
    return _print_table(("match", "game", "variant", "state", "result"), rows)


@command.command("annul")
@click.argument("match")
@_reason
@_as_json
@server_connection
def annul(connection: Connection, match: str, reason: str, as_json: bool) -> None:  # noqa: FBT001
    """Take the result of MATCH out of the standings. For organisers.

    \b
    Example:
      highstreet league annul 4c1d2a90aa3be0f1-1 --reason "the machine was out of memory"
    """  # noqa: D301  click's mark for "keep the lines"
    with connection.client() as client:
        annulled = client.annul(match, reason)
    _print(annulled, f"the match {match} is annulled", as_json=as_json)


@command.command("watch")
@_league
@click.option("--matches", "most", type=click.IntRange(min=1), help="End after so many matches.")
@server_connection
def watch(connection: Connection, league: str, most: int | None) -> None:
    """Print every match when it is over, until Ctrl-C.

    \b
    Example:
      highstreet league watch spring
    """  # noqa: D301  click's mark for "keep the lines"
    try:
        _watch(connection, league, most)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def _watch(connection: Connection, league: str, most: int | None) -> None:
    """Print matches as they end, beginning with the last few, until there were enough."""
    left = float("inf") if most is None else most
    seen: set[str] | None = None
    with connection.client() as client:
        while True:
            recent = list(islice(client.matches(league, state="played"), RECENT))
            fresh = [each for each in reversed(recent) if each["match"] not in (seen or ())]
            for each in fresh if seen is not None else fresh[-FIRST:]:
                click.echo(f"{each['end_time'][:19]}  {each['game']}  {_result(each)}")
                left -= 1
                if left <= 0:
                    return
            seen = {each["match"] for each in recent}
            time.sleep(POLL)


# Backup and restore -----------------------------------------------------------------------------


@command.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@database_options
def backup(file: Path, data: Path | None, database: str | None) -> None:
    """Write all leagues of a server into FILE, while they go on.

    The file holds the secrets of the deals: keep it as safe as the database.

    \b
    Example:
      highstreet league backup leagues.zip --data leagues
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.cli.serve_league import database_url  # noqa: PLC0415  slow to load
    from tournaments.league.store import LeagueStore  # noqa: PLC0415  as above

    if file.exists():
        raise UsageError(f"{file} is there already: name another file.")
    url = database_url(data, database)
    _must_exist(url)
    with LeagueStore.open(url, migrate=False) as store:
        store.backup(file)
    click.echo(f"{file}: {file.stat().st_size} bytes")


@command.command("restore")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@database_options
def restore(file: Path, data: Path | None, database: str | None) -> None:
    """Fill a new database with what `backup` wrote; the tokens stay good.

    \b
    Example:
      highstreet league restore leagues.zip --data new-leagues
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.cli.match_options import make_folder  # noqa: PLC0415  slow to load
    from tournaments.cli.serve_league import database_url  # noqa: PLC0415  as above
    from tournaments.league.store import LeagueStore  # noqa: PLC0415  as above

    if data is not None:
        make_folder(data).chmod(0o700)
    LeagueStore.restore(file, database_url(data, database))
    click.echo(f"{file} is restored")


@command.command("organiser")
@click.argument("label")
@database_options
def organiser(label: str, data: Path | None, database: str | None) -> None:
    """Print one more token of an organiser, for whoever LABEL says.

    \b
    Example:
      highstreet league organiser ann --data leagues
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.cli.serve_league import database_url  # noqa: PLC0415  slow to load
    from tournaments.league.store import LeagueStore  # noqa: PLC0415  as above

    url = database_url(data, database)
    _must_exist(url)
    with LeagueStore.open(url, migrate=False) as store:
        click.echo(store.issue_organiser(label))


def _must_exist(url: str) -> None:
    """Refuse the file of a database that is not there, instead of making an empty one."""
    found = re.fullmatch(r"sqlite(?:\+\w+)?:///(.+)", url)
    if found and not Path(found[1]).exists():
        raise UsageError(
            f"there is no database {found[1]}: make it with `highstreet serve --init`."
        )


# How it is shown --------------------------------------------------------------------------------


def _result(match: dict[str, Any]) -> str:
    """Return who came where, or who sits there."""
    seats = [
        (each["place"], f"{each['entrant']}{'@' * bool(each['version'])}{each['version']}", each)
        for each in match["seats"]
    ]
    if match["state"] not in ("played", "annulled"):
        return ", ".join(name for _, name, _ in seats)
    said = [
        f"{place}. {name} {'(forfeit)' if each['forfeit'] else each['score']}"
        for place, name, each in sorted(seats, key=lambda seat: seat[:2])
    ]
    why = f"; annulled: {match['annulled']}" if match["annulled"] else ""
    return printable(", ".join(said) + why)


def _print(values: dict[str, Any], sentence: str, *, as_json: bool) -> None:
    if as_json:
        _print_json(values)
    else:
        click.echo(printable(sentence))


def _print_json(values: object) -> None:
    click.echo(json.dumps(values, indent=2, ensure_ascii=False))


def _print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for title in titles:
        table.add_column(title)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console = Console(soft_wrap=True)
    console.print(table)


def _write_secret(path: Path, token: str) -> None:
    """Write a token into a file that only its owner can read."""
    try:
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(f"{token}\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}. The token: {token}") from None
