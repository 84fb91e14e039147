"""The kinds of matches in a tournament file: sizes of tables, variants and options of the game."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from engine import AnyGame, Option, OptionsError, OptionValue
from tournaments.file.toml_reader import Table, either, quoted, shown, unknown_key
from tournaments.tournament import Entrant, Variant

LARGEST = 2**31 - 1
"""No whole number that is an option is larger: the wire has 32 bits."""

_SWITCH = {"off": (False,), "on": (True,), "both": (False, True)}
_TYPES = {bool: "true or false, without quotes", int: "a whole number", str: "text in quotes"}


def read_table_sizes(
    root: Table,
    game: AnyGame,
    entrants: Sequence[Entrant],
    separate_authors: bool,  # noqa: FBT001  as the file has it
) -> tuple[int, ...]:
    """Read how many sit at a table: unless told, every number that the game and the field allow."""
    whom, most = "entrants", len(entrants)
    if separate_authors:
        whom = "entrants of different authors"
        authors = [entrant.author for entrant in entrants]
        most = len({author for author in authors if author is not None}) + authors.count(None)
    if "table_sizes" not in root:
        sizes = tuple(size for size in game.spec.seats if size <= most)
        if entrants and not sizes:
            needed = f"{game.spec.title} needs at least {min(game.spec.seats)} {whom}"
            root.complain(f"{needed}, but there {_are(most)}.", "entrants")
        return sizes
    chosen: list[int] = []
    for number, size in enumerate(root.values("table_sizes")):
        if type(size) is not int or size not in game.spec.seats:
            seats = either(game.spec.seats)
            problem = f"{game.spec.title} is for {seats} seats, not for {shown(size)}."
        elif size in chosen:
            problem = f"table_sizes has {size} twice: once is enough."
        elif entrants and size > most:
            problem = (
                f"a table of {size} needs {size} {whom}, but there {_are(most)}: enter more, or "
                f"take {size} out of table_sizes."
            )
        else:
            chosen.append(size)
            continue
        root.complain(problem, "table_sizes", number)
    return tuple(sorted(chosen))


def _are(number: int) -> str:
    return f"is {number}" if number == 1 else f"are {number}"


def read_variants(root: Table, game: AnyGame, sizes: Sequence[int]) -> tuple[Variant, ...]:
    """Read the options of the game, and return every combination of its variants."""
    offered = game.spec.options_offered
    values = {option.name: option.default for option in offered}
    options, variants = root.table("options"), root.table("variants")
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
            options.complain(f"{key} is a variant: write {key} = {how} under [variants].", key)
        elif key not in plain:
            options.complain(unknown_key(key, plain, "in [options]"), key)
    for key in variants:
        if key in plain:
            variants.complain(f"{key} is no variant: write it under [options].", key)
        elif key not in switches:
            variants.complain(unknown_key(key, list(switches), "in [variants]"), key)


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
