"""``highstreet enrol``: an account of an author in a league."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine import UsageError
from tournaments.cli.files import read_file, refuse_existing
from tournaments.cli.options import EXISTING_FILE
from tournaments.cli.output import (
    Answer,
    client_command,
    league_argument,
    shown_token,
    token_out_option,
)

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient


@client_command("enrol")
@league_argument
@click.argument("name")
@click.option("--code-prompt", is_flag=True, help="Ask for the code of the league.")
@click.option("--code-file", type=EXISTING_FILE, help="A file with the code of the league.")
@token_out_option
def command(
    client: SubmissionClient,
    *,
    league: str,
    name: str,
    code_prompt: bool,
    code_file: Path | None,
    token_out: Path | None,
) -> Answer:
    """Sign up as the author NAME, who submits bots to a league; the token is shown this once.

    Some leagues need a code, which an organiser gives you. In others an organiser approves your
    account before you can use it. With the token of an organiser neither is needed.

    \b
    Examples:
      highstreet enrol spring Ann --server league.example:7000
      highstreet enrol spring Ann --code-prompt --token-out ann.token
    """  # noqa: D301  click's mark for "keep the lines"
    refuse_existing(token_out)
    account, token = client.sign_up(league, name, _code(code_file, prompt=code_prompt))
    shown = shown_token(token, token_out)
    value = token if token_out is None else f"$(cat {token_out})"
    return Answer(
        {"account": account, "token": shown},
        _sentence(account),
        lines=(f"export HIGHSTREET_TOKEN={value}",),
    )


def _code(file: Path | None, *, prompt: bool) -> str:
    if prompt and file is not None:
        raise UsageError("--code-prompt and --code-file exclude each other.")
    if file is not None:
        return read_file(file).decode(errors="replace").strip()
    return click.prompt("Code of the league", hide_input=True, err=True) if prompt else ""


def _sentence(account: dict[str, Any]) -> str:
    state = "is active"
    if account["state"] == "pending":
        state = "waits for the approval of an organiser"
    where = f"{account['name']} in {account['league']}"
    return f"the account of {where} {state}; this sets its token, which is shown this once:"
