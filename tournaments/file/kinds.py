"""The games in a tournament file: of each the sizes of tables, its variants and its options.

A file has one game at its top, or several, each in a table of its own under [[games]].
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from engine import GAMES, AnyGame, Option, OptionsError, OptionValue, UsageError, find_game
from tournaments.file import keys
from tournaments.file.toml_reader import Table, either, quoted, shown, unknown_key
from tournaments.tournament import Discipline, Entrant, Variant

MOST_SETS = 100_000
LARGEST = 2**31 - 1
"""No whole number that is an option is larger: the wire has 32 bits."""

_SWITCH = {"off": (False,), "on": (True,), "both": (False, True)}
_TYPES = {bool: "true or false, without quotes", int: "a whole number", str: "text in quotes"}


def read_games(
    root: Table,
    entrants: Sequence[Entrant],
    separate_authors: bool,  # noqa: FBT001  as the file has it
) -> tuple[Discipline, ...]:
    """Read what is played; a game that is wrong is left out."""
    field = _Field(entrants, separate_authors)
    if "games" not in root:
        name = root.text("game", None) if "game" in root else next(iter(GAMES))
        game = _game(root, name)
        return (_discipline(root, game, field),) if game else ()
    for key in keys.KEYS[keys.GAMES]:
        if key in root:
            sentence = f"there are [[games]], so {key} belongs in each of them, not at the top."
            root.complain(sentence, key)
    if root["games"] == []:
        root.complain('there are no games: write [[games]] for each, or game = "…".', "games")
    found: dict[str, Discipline] = {}
    lines: dict[str, int] = {}
    for table in root.tables("games"):
        game = _named_game(table, lines)
        if game is not None:
            found[game.spec.name] = _discipline(table, game, field)
    return tuple(found.values())


def _named_game(table: Table, lines: dict[str, int]) -> AnyGame | None:
    """Read which game one of several is; ``lines`` are those of the games before it."""
    keys.refuse_unknown(table, keys.GAMES)
    if "game" not in table:
        table.complain('a game has no name: write game = "…" under its [[games]].')
        return None
    game = _game(table, table.text("game", None))
    if game is None:
        return None
    name = game.spec.name
    if name in lines:
        sentence = f"{name} is the game in line {lines[name]} too: put into one what belongs to it."
        table.complain(sentence, "game")
        return None
    lines[name] = table.line("game")
    return game


def _game(table: Table, name: str | None) -> AnyGame | None:
    if name is None:
        return None
    try:
        return find_game(name)
    except UsageError as error:
        table.complain(str(error), "game")
        return None


def _discipline(table: Table, game: AnyGame, field: _Field) -> Discipline:
    sizes = _table_sizes(table, game, field)
    variants = _variants(table, game, sizes)
    return Discipline(game, sizes, variants, table.whole("sets_per_table", 1, 1, MOST_SETS))


# Sizes of tables --------------------------------------------------------------------------------


class _Field:
    """Who can sit at one table."""

    def __init__(self, entrants: Sequence[Entrant], separate_authors: bool) -> None:  # noqa: FBT001
        self.there_are_any = bool(entrants)
        self.whom, self.most = "entrants", len(entrants)
        if separate_authors:
            self.whom = "entrants of different authors"
            authors = [entrant.author for entrant in entrants]
            known = {author for author in authors if author is not None}
            self.most = len(known) + authors.count(None)

    def lacks(self, size: int) -> bool:
        """Tell whether a table of that size can never be full; not if nobody is known at all."""
        return self.there_are_any and size > self.most


def _table_sizes(table: Table, game: AnyGame, field: _Field) -> tuple[int, ...]:
    """Read how many sit at a table: unless told, every number that the game and the field allow."""
    if "table_sizes" not in table:
        sizes = tuple(size for size in game.spec.seats if size <= field.most)
        if field.there_are_any and not sizes:
            needed = f"{game.spec.title} needs at least {min(game.spec.seats)} {field.whom}"
            where = "entrants" if "entrants" in table else "game"
            table.complain(f"{needed}, but there {_are(field.most)}.", where)
        return sizes
    chosen: list[int] = []
    for number, size in enumerate(table.values("table_sizes")):
        if type(size) is not int or size not in game.spec.seats:
            seats = either(game.spec.seats)
            problem = f"{game.spec.title} is for {seats} seats, not for {shown(size)}."
        elif size in chosen:
            problem = f"table_sizes has {size} twice: once is enough."
        elif field.lacks(size):
            problem = (
                f"a table of {size} needs {size} {field.whom}, but there {_are(field.most)}: enter "
                f"more, or take {size} out of table_sizes."
            )
        else:
            chosen.append(size)
            continue
        table.complain(problem, "table_sizes", number)
    return tuple(sorted(chosen))


def _are(number: int) -> str:
    return f"is {number}" if number == 1 else f"are {number}"


# Variants and options ---------------------------------------------------------------------------


def _variants(table: Table, game: AnyGame, sizes: Sequence[int]) -> tuple[Variant, ...]:
    """Read the options of the game, and return every combination of its variants."""
    offered = game.spec.options_offered
    values = {option.name: option.default for option in offered}
    options = table.table("options", table.header("options"))
    variants = table.table("variants", table.header("variants"))
    _refuse_misplaced(options, variants, offered)
    for option in offered:
        if not option.variant and option.name in options:
            value = options[option.name]
            values |= {option.name: _checked(options, option, value, game, sizes)}
    switches = [option for option in offered if option.variant]
    choices = [_choices(variants, option, game, sizes) for option in switches]
    names = [option.name for option in switches]
    return tuple(
        Variant(game, values | dict(zip(names, chosen, strict=True)))
        for chosen in product(*choices)
    )


def _refuse_misplaced(options: Table, variants: Table, offered: Sequence[Option]) -> None:
    plain = [option.name for option in offered if not option.variant]
    switches = {option.name: option for option in offered if option.variant}
    for key in options:
        if key in switches:
            switch = isinstance(switches[key].default, bool)
            how = either(map(quoted, _SWITCH)) if switch else "[…]"
            where = variants.header()
            options.complain(f"{key} is a variant: write {key} = {how} under {where}.", key)
        elif key not in plain:
            options.complain(unknown_key(key, plain, f"in {options.header()}"), key)
    for key in variants:
        if key in plain:
            variants.complain(f"{key} is no variant: write it under {options.header()}.", key)
        elif key not in switches:
            variants.complain(unknown_key(key, list(switches), f"in {variants.header()}"), key)


def _choices(
    table: Table, option: Option, game: AnyGame, sizes: Sequence[int]
) -> Sequence[OptionValue]:
    """Read which values of a variant option are played: a switch by word, others as a list."""
    if option.name not in table:
        return (option.default,)
    if isinstance(option.default, bool):
        return _SWITCH[table.choice(option.name, list(_SWITCH), "off")]
    chosen: list[OptionValue] = []
    for number, value in enumerate(table.values(option.name)):
        if value in chosen:
            table.complain(f"{option.name} has {shown(value)} twice.", option.name, number)
        else:
            chosen.append(_checked(table, option, value, game, sizes, number))
    return chosen


def _checked(
    table: Table, option: Option, value: object, game: AnyGame, sizes: Sequence[int], *where: int
) -> OptionValue:
    """Return a value that the option can have at every size of table, or its default."""
    name, kind = option.name, type(option.default)
    if not isinstance(value, bool | int | str) or type(value) is not kind:
        table.complain(f"{name} is {shown(value)}, but must be {_TYPES[kind]}.", name, *where)
        return option.default
    if isinstance(value, int) and abs(value) > LARGEST:
        table.complain(f"{name} is {shown(value)}, which is too large.", name, *where)
        return option.default
    for size in sizes:
        try:
            game.spec.options(size, {name: value})
        except OptionsError as error:
            table.complain(str(error), name, *where)
            return option.default
    return value
