"""Which entrants can play on the machines of a cluster."""

from __future__ import annotations

from pathlib import Path

from referee.model import Transport
from tournaments.config import entrant_error
from tournaments.model import Entrant, TournamentSettings


def check_entrants(tournament: TournamentSettings, text: str, file: Path) -> None:
    """Raise SettingsFileError for the first entrant that other machines cannot start.

    ``text`` is the content of the tournament file.
    """
    shared = tournament.cluster.shared_filesystem
    for number, entrant in enumerate(tournament.entrants):
        found = _problem(entrant, shared=shared)
        if found is not None:
            key, sentence = found
            raise entrant_error(text, str(file), number, sentence, key)


def _problem(entrant: Entrant, *, shared: bool) -> tuple[str, str] | None:
    """Return the key and the sentence if an entrant cannot play on a cluster."""
    if entrant.transport is Transport.REMOTE:
        return "remote", (
            f"{entrant.name} is remote, and connects to this machine: leave it out, or play "
            "without --cluster."
        )
    if entrant.package is not None or shared:
        return None
    if entrant.sample is None:
        return "command", (
            f"{entrant.name} is a command, which the workers of a cluster may not have: make it a "
            "package, or write shared_filesystem = true under [cluster] if it exists on all of "
            "them under this path."
        )
    if entrant.folder is not None:
        return "folder", (
            f"{entrant.name} has a folder, which the workers of a cluster may not have: leave it "
            "out, or write shared_filesystem = true under [cluster]."
        )
    return None
