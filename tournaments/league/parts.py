"""Parts of the standings: a game, a size of table and a variant, each of them or all.

The document that ``tournaments.league.standings`` makes holds nothing twice: where a league has one
game, or a game one size or one variant, the part is the whole, and stands there once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tournaments.league.model import LeagueSettings, NotFoundError
from tournaments.league.settings import LONGEST_TITLE

TABLE: Final = ("matches", "sets", "tie_rate", "bootstrap_replicates", "standings", "groups")
"""What every table of the document has, beside the history of its ratings."""

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the standings: a game or all, a size of table or all, a variant or all."""

    game: str | None = None
    seats: int | None = None
    variant: str | None = None

    def check(self, settings: LeagueSettings) -> None:
        """Refuse what is not played in a league; raises NotFoundError."""
        games = [settings.rules_of(self.game)] if self.game is not None else settings.games
        sized = [rules for rules in games if self.seats in (None, *rules.table_sizes)]
        varied = [rules for rules in games if self.variant in (None, *rules.variants)]
        if not sized:
            raise NotFoundError(f"no table of {self.seats} is played here.")
        variant = (self.variant or "")[:LONGEST_TITLE]
        if not varied:
            raise NotFoundError(f'no variant "{variant}" is played here.')
        if not any(rules in varied for rules in sized):
            raise NotFoundError(
                f'no table of {self.seats} of the variant "{variant}" is played here.'
            )

    def of(self, document: Table | None) -> Table | None:
        """Return the table of this part in a document, or nothing if it has had no match."""
        found = document
        if found and self.game is not None and found.get("games") != [self.game]:
            found = found.get("by_game", {}).get(self.game)
        if found and self.seats is not None and found.get("sizes") != [self.seats]:
            found = self._of_size(found)
        if found and self.variant is not None and found.get("variants") != [self.variant]:
            found = found.get("by_variant", {}).get(self.variant)
        return found or None

    def _of_size(self, table: Table) -> Table | None:
        """Return the table of a size; one of a game with a single variant has that one too."""
        found = table.get("by_seats", {}).get(str(self.seats))
        return found and {"variants": table.get("variants"), **found}

    def as_dict(self) -> dict[str, Any]:
        """Return what is asked for."""
        return {"game": self.game, "seats": self.seats, "variant": self.variant}
