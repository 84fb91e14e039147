"""The parts of a competition that have a table of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from tournaments.model import Result, TableKind
from tournaments.ratings.standings import Part


class Parts:
    """The parts of a competition. Parts with the same matches share a table."""

    def __init__(self, results: Iterable[Result]) -> None:
        kinds = {result.kind for result in results}
        games = sorted({kind.game for kind in kinds})
        self.played: dict[str | None, tuple[list[int], list[str]]] = {
            group: (
                sorted({seats for game, seats, _ in kinds if group in (None, game)}),
                sorted({variant for game, _, variant in kinds if group in (None, game)}),
            )
            for group in (None, *games)
        }
        """The sizes and the variants that were played of all games (None), and of each."""
        self._of_kind = {
            kind: {
                self.canonical(Part(*part))
                for part in product((None, kind.game), (None, kind.seats), (None, kind.variant))
            }
            for kind in kinds
        }
        self.by_kind = {kind: self.canonical(Part(*kind)) for kind in sorted(kinds)}
        """By whose name the table of each kind is computed."""

    def kinds(self, part: Part) -> list[TableKind]:
        """Return the kinds of table that a part has."""
        return [kind for kind in self.by_kind if part in self._of_kind[kind]]

    def splits(self, part: Part) -> dict[str, dict[str, Part]]:
        """Return what the matches of a game, or of all games, can be divided by, and the parts."""
        if not part.is_whole:
            return {}
        if part.game is None and len(self.played) > 2:
            return {"game": {game: Part(game) for game in self.played if game is not None}}
        sizes, variants = self.played[part.game]
        found = {
            "seats": {str(seats): self.canonical(Part(part.game, seats)) for seats in sizes},
            "variant": {name: self.canonical(Part(part.game, None, name)) for name in variants},
        }
        return {over: parts for over, parts in found.items() if len(parts) > 1}

    def canonical(self, part: Part) -> Part:
        """Return the part by whose name a table is computed."""
        game = None if len(self.played) == 2 else part.game
        sizes, variants = self.played[game]
        return Part(
            game,
            None if len(sizes) == 1 else part.seats,
            None if len(variants) == 1 else part.variant,
        )

    def of(self, result: Result) -> set[Part]:
        """Return the parts by whose names a result counts."""
        return self._of_kind[result.kind]

    def all(self) -> Iterator[Part]:
        """Yield every part in the order of ``Standings.tables``."""
        for game, (sizes, variants) in self.played.items():
            yield Part(game)
            yield from (Part(game, seats) for seats in sizes)
            yield from (Part(game, None, variant) for variant in variants)
            yield from (Part(game, seats, variant) for seats, variant in product(sizes, variants))
