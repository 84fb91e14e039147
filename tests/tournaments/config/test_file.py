"""The tournament file: what it means, what it refuses and where, and what may change later."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.game import GameSpec, Option
from engine.registry import GAMES, AnyGame, find_game
from referee.model.bot import Transport
from referee.model.clock import TimeControl
from referee.model.policy import Policy, Reaction
from tests.tournaments.tournament_files import (
    SECRET,
    SMALL,
    TWO,
    entrants,
    read,
    refusal,
    template_in_use,
)
from tournaments.config.toml_reader import SettingsFileError
from tournaments.config.tournament_file import KEYS, template
from tournaments.model import (
    Deals,
    Entrant,
    Format,
    GameRequest,
    Request,
    RunSettings,
    TrueSkillSettings,
)
from tournaments.model.match import DuplicateSet, Seatings
from tournaments.ratings import StandingsRequest


def test_the_parameters_of_trueskill_reach_the_standings() -> None:
    more = "rating = 'trueskill-sequential'\ntrueskill = {mu = 0.0, sigma = 2.0, tau = 0.5}\n"
    request = StandingsRequest.of_tournament(read(more + SMALL))
    assert request.rating == "trueskill-sequential"
    assert request.trueskill == TrueSkillSettings(0.0, 2.0, 25 / 6, 0.5)
    assert StandingsRequest.of_tournament(read(SMALL)).trueskill == TrueSkillSettings(
        25.0, 25 / 3, 25 / 6, 0.0
    )


def test_a_short_file_has_the_defaults() -> None:
    tournament = read(SMALL)
    assert tournament.title == "x"
    (played,) = tournament.games
    assert played.rules is GAMES["glastonbury"]
    assert played.table_sizes == (2,)
    assert list(played.variants) == ["plain"]
    assert played.sets_per_table == 1
    assert tournament.max_matches is None
    assert tournament.format is Format.ROUND_ROBIN
    assert tournament.challenger is None
    assert tournament.seatings is Seatings.ROTATIONS
    assert tournament.separate_authors is False
    assert tournament.rating == "trueskill"
    assert tournament.secret is None
    assert tournament.deals is None
    assert tournament.time_control == TimeControl()
    assert tournament.policy == Policy()
    assert tournament.bench_after == 5
    assert tournament.run == RunSettings(4, None, "127.0.0.1", 0, None, None, 60.0)
    assert [entrant.transport for entrant in tournament.entrants] == [Transport.PIPE] * 2
    assert [entrant.sample for entrant in tournament.entrants] == ["greedy", "random"]


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "bots" / "mine").mkdir(parents=True)
    program = tmp_path / "bots" / "mine" / "my-bot"
    program.touch(mode=0o755)
    for name in ("c.pem", "k.pem"):
        (tmp_path / name).touch()
    tournament = read(
        f"""
        name = "Spring tournament"
        game = "glastonbury"
        table_sizes = [3, 2]
        sets_per_table = 7
        max_matches = 400
        format = "gauntlet"
        challenger = "mine"
        seatings = "all"
        separate_authors = true
        rating = "openskill"
        secret = "{SECRET}"
        deals = "fresh"
        variants.recipes = "both"
        options = {{ colours = "BRGY" }}
        [time_control]
        per_move = 0.5
        bank = 60
        increment = 1
        start_up = 0
        latency = 0.25
        [policy]
        illegal_move = "forfeit"
        malformed = "strike"
        time_out = "forfeit"
        disconnect = "strike"
        crash = "strike"
        strikes = 0
        rejections = 9
        bench_after = 0
        [run]
        tables = 16
        workers = 3
        listen = "[::1]:50051"
        tls_cert = "c.pem"
        tls_key = "k.pem"
        remote_seconds = 5
        [[entrants]]
        name = "mine"
        author = "Ann"
        command = ["./my-bot", "--fast"]
        folder = "bots/mine"
        [entrants.environment]
        LEVEL = "3"
        [[entrants]]
        name = "split"
        command = "python3 -c 'import this'"
        transport = "grpc"
        [[entrants]]
        name = "guest"
        remote = true
        """,
        tmp_path,
    )
    mine, split, guest = tournament.entrants
    (played,) = tournament.games
    assert played.table_sizes == (2, 3)
    assert played.sets_per_table == 7
    assert tournament.max_matches == 400
    assert tournament.format is Format.GAUNTLET
    assert tournament.challenger == "mine"
    assert tournament.seatings is Seatings.ALL
    assert tournament.separate_authors is True
    assert tournament.rating == "openskill"
    assert tournament.secret == bytes.fromhex(SECRET)
    assert tournament.deals is Deals.FRESH
    assert list(played.variants) == ["plain", "recipes"]
    assert [dict(played.options_of(variant, 3)) for variant in played.variants] == [
        {"seats": 3, "recipes": on, "colours": "BRGY", "dead_end_counts_as_end": True}
        for on in (False, True)
    ]
    assert tournament.time_control == TimeControl(
        *(timedelta(seconds=seconds) for seconds in (0.5, 60, 1, 0, 0.25))
    )
    assert tournament.policy == Policy(
        Reaction.FORFEIT,
        Reaction.STRIKE,
        Reaction.FORFEIT,
        Reaction.STRIKE,
        Reaction.STRIKE,
        strikes=0,
        rejections=9,
    )
    assert tournament.bench_after == 0
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    assert tournament.run == RunSettings(16, 3, "::1", 50051, certificate, key, 5.0)
    assert (mine.name, mine.author, mine.transport) == ("mine", "Ann", Transport.PIPE)
    assert mine.command is not None
    assert mine.command.arguments == ("./my-bot", "--fast")
    assert mine.command.folder == tmp_path / "bots" / "mine"
    assert mine.command.environment == {"LEVEL": "3"}
    assert split.command is not None
    assert split.command.arguments == ("python3", "-c", "import this")
    assert split.command.folder == tmp_path
    assert split.transport is Transport.GRPC
    assert guest == Entrant("guest", transport=Transport.REMOTE)
    assert guest.spec().command is None


def test_a_request_has_what_the_schedule_needs() -> None:
    tournament = read(
        f'name = "x"\nmax_matches = 9\nsets_per_table = 2\nvariants.recipes = "both"\n{TWO}'
        'author = "Ann"\n'
    )
    assert [(each.name, each.author, each.games) for each in tournament.entrants] == [
        ("a", "", ("glastonbury", "kupferkessel", "gargon", "festo")),
        ("b", "Ann", None),
    ]
    assert tournament.request() == Request(
        entries=tournament.entrants,
        games=(GameRequest("glastonbury", (2,), ("plain", "recipes"), 2),),
        max_matches=9,
    )


@pytest.mark.parametrize(
    ("word", "names"), [("off", ["plain"]), ("on", ["recipes"]), ("both", ["plain", "recipes"])]
)
def test_a_switch_is_off_on_or_both(word: str, names: list[str]) -> None:
    (played,) = read(f'name = "x"\nvariants = {{ recipes = "{word}" }}\n{TWO}').games
    variants = played.variants
    assert list(variants) == names
    values = [played.values_of(variant)["recipes"] for variant in variants]
    assert values == [name == "recipes" for name in names]


@pytest.mark.parametrize(
    ("authors", "separate", "sizes"),
    [
        ((None,) * 2, "false", (2,)),
        ((None,) * 3, "false", (2, 3)),
        ((None,) * 9, "false", (2, 3, 4)),
        (("Ann",) * 4, "false", (2, 3, 4)),
        (("Ann", "Ann", "Bob", None, None), "true", (2, 3, 4)),
        (("Ann", "Ann", "Bob", None), "true", (2, 3)),
        (("Ann", "Ann", "Ann", "Bob"), "true", (2,)),
    ],
)
def test_tables_are_as_large_as_the_field_allows(
    authors: tuple[str | None, ...], separate: str, sizes: tuple[int, ...]
) -> None:
    text = f'name = "x"\nseparate_authors = {separate}\n{entrants(*authors)}'
    assert read(text).games[0].table_sizes == sizes


GUEST = '[[entrants]]\nname = "guest"\nremote = true\n'


@pytest.mark.parametrize(
    ("said", "table", "deals"),
    [
        ("", ["a", "b"], Deals.DUPLICATE),
        ("", ["a", "guest"], Deals.FRESH),
        ('deals = "duplicate"\n', ["a", "guest"], Deals.DUPLICATE),
        ('deals = "fresh"\n', ["a", "b"], Deals.FRESH),
    ],
)
def test_unless_told_a_remote_bot_never_sees_a_deal_twice(
    said: str, table: list[str], deals: Deals
) -> None:
    assert read(said + SMALL + GUEST).deals_at(table) is deals


def test_sample_bots_run_wherever_the_program_is() -> None:
    command = read(SMALL).entrants[0].command
    assert command is not None
    assert Path(command.arguments[-1]).name == "greedy_bot.py"
    assert Path(command.arguments[-1]).is_file()


def test_the_secret_is_not_shown() -> None:
    tournament = read(f'secret = "{SECRET}"\n{SMALL}')
    assert tournament.secret is not None
    assert repr(tournament.secret) not in repr(tournament)
    assert SECRET not in json.dumps(tournament.identity())
    assert "hush" not in json.dumps(read(SMALL + 'environment.KEY = "hush"').identity())


def test_a_tournament_can_be_sent_to_another_process() -> None:
    tournament = read(SEVERAL)
    assert pickle.loads(pickle.dumps(tournament)).identity() == tournament.identity()  # noqa: S301


SEVERAL = f"""
name = "x"
max_matches = 99

[[games]]
game = "gargon"
sets_per_table = 3
[games.variants]
open_captures = "both"
[games.options]
zero_clash = "literal"

[[games]]
game = "kupferkessel"
table_sizes = [2]
variants = {{ recipes = "on" }}
options = {{ symbols = "all2", third_colour = "S" }}

[[games]]
game = "glastonbury"

{entrants(*[None] * 4)}"""


def test_several_games_have_each_their_own_tables() -> None:
    tournament = read(SEVERAL)
    gargon, kupferkessel, glastonbury = tournament.games
    assert [played.rules for played in tournament.games] == [
        GAMES[name] for name in ("gargon", "kupferkessel", "glastonbury")
    ]
    assert gargon.table_sizes == (3, 4), "all sizes of the game that four can fill"
    assert kupferkessel.table_sizes == (2,)
    assert glastonbury.table_sizes == (2, 3, 4)
    assert [played.sets_per_table for played in tournament.games] == [3, 1, 1]
    names = [list(played.variants) for played in tournament.games]
    assert names == [["plain", "open_captures"], ["recipes"], ["plain"]]
    assert [(each.name, each.games) for each in tournament.entrants] == [
        (f"e{number}", None) for number in range(4)
    ]
    assert tournament.request() == Request(
        entries=tournament.entrants,
        games=(
            GameRequest("gargon", (3, 4), ("plain", "open_captures"), 3),
            GameRequest("kupferkessel", (2,), ("recipes",), 1),
            GameRequest("glastonbury", (2, 3, 4), ("plain",), 1),
        ),
        max_matches=99,
    )


def test_every_match_has_the_options_of_its_game() -> None:
    tournament = read(SEVERAL)
    one = DuplicateSet("gargon", "open_captures", ("e0", "e1", "e2"), 1).matches[0]
    assert dict(tournament.options_of(one)) == {
        "seats": 3,
        "open_captures": True,
        "zero_clash": "literal",
        "allow_111": True,
    }
    other = DuplicateSet("kupferkessel", "recipes", ("e0", "e1"), 1).matches[0]
    assert dict(tournament.options_of(other)) == {
        "seats": 2,
        "recipes": True,
        "symbols": "all2",
        "third_colour": "S",
    }
    assert tournament.game("gargon").options_said() == ['zero_clash = "literal"']
    assert tournament.game("glastonbury").options_said() == []


def test_one_game_may_be_written_either_way() -> None:
    keys = (
        'game = "glastonbury"\ntable_sizes = [2]\nsets_per_table = 5\nvariants.recipes = "both"\n'
    )
    short = read(f'name = "x"\n{keys}options.colours = "BRGY"\n{TWO}')
    long = read(f'name = "x"\n[[games]]\n{keys}options.colours = "BRGY"\n{TWO}')
    assert short == long
    assert short.identity() == long.identity()


def test_unless_told_it_is_the_first_game_of_the_registry() -> None:
    assert read(SMALL).games[0].game == next(iter(GAMES))


@pytest.mark.parametrize("game", GAMES)
def test_every_variant_of_every_game_can_be_played_both_ways(game: str) -> None:
    spec = GAMES[game].spec
    switches = [option.name for option in spec.options_offered if option.variant]
    both = "".join(f'{name} = "both"\n' for name in switches)
    text = f'name = "x"\n[[games]]\ngame = "{game}"\n[games.variants]\n{both}'
    (played,) = read(text + entrants(*[None] * max(spec.seats))).games
    assert played.table_sizes == spec.seats
    kinds = [
        played.options_of(variant, seats) for seats in spec.seats for variant in played.variants
    ]
    assert {tuple(kind.items()) for kind in kinds} == {tuple(k.items()) for k in spec.kinds()}
    assert len(kinds) == len(list(spec.kinds()))


def _level_problem(value: object, _seats: int) -> str | None:
    return "there is no level 9." if value == 9 else None


class _Levels:
    """A game whose variants are not all switches, as far as files are concerned."""

    spec = GameSpec(
        name="levels",
        title="Levels",
        rules_version="1",
        seats=(3, 5),
        options_offered=(
            Option("fog", False, "a switch", variant=True),
            Option("level", 1, "a number", _level_problem, variant=True),
            Option("deck", "red", "a word"),
        ),
        endings=GAMES["glastonbury"].spec.endings,
        decision_kinds=("choose",),
        most_decisions=1,
    )


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> AnyGame:
    game = cast("AnyGame", _Levels())
    for module in ("tournaments.config.schema", "tournaments.model.game_settings"):
        monkeypatch.setattr(
            f"{module}.find_game", lambda n: game if n == "levels" else find_game(n)
        )
    return game


LEVELS = 'name = "x"\ngame = "levels"\n'


def test_variants_with_values_are_lists(levels: AnyGame) -> None:
    text = f'{LEVELS}variants = {{ fog = "both", level = [1, 3] }}\noptions.deck = "blue"\n'
    (played,) = read(text + entrants(*[None] * 3)).games
    assert played.table_sizes == (3,)
    assert played.rules is levels
    assert [played.values_of(variant) for variant in played.variants] == [
        {"fog": fog, "level": level, "deck": "blue"} for fog in (False, True) for level in (1, 3)
    ]
    assert list(played.variants) == ["plain", "level=3", "fog", "fog+level=3"]


@pytest.mark.usefixtures("levels")
@pytest.mark.parametrize(
    ("rest", "line", "phrase"),
    [
        ("variants.level = 3\n", 3, "level is 3, but must be a list, as in level = [3]."),
        ("variants.level = []\n", 3, "level is an empty list, but must be a list with at least"),
        ("variants.level = [1,\n2,\n1]\n", 5, "level has 1 twice."),
        ("variants.level = [1,\n2,\n9]\n", 5, "there is no level 9."),
        ('variants.level = [1,\n"2"]\n', 4, 'level is "2", but must be a whole number.'),
        ("variants.level = [true]\n", 3, "level is true, but must be a whole number."),
        ("variants.level = [9999999999]\n", 3, "level is 9999999999, which is too large."),
        ("options.level = 3\n", 3, '"level" belongs in [variants], not in [options].'),
    ],
)
def test_wrong_values_of_variants(rest: str, line: int, phrase: str) -> None:
    (problem,) = refusal(LEVELS + rest + entrants(*[None] * 3)).problems
    assert problem.line == line
    assert problem.sentence.startswith(phrase)


@pytest.mark.usefixtures("levels")
def test_a_game_may_need_more_entrants() -> None:
    (problem,) = refusal(LEVELS + entrants(None, None)).problems
    assert problem.line == 3
    assert problem.sentence == "Levels needs at least 3 entrants, but there are 2."


def test_the_template_plays_the_sample_bots_over_both_transports() -> None:
    tournament = read(template())
    assert {entrant.sample for entrant in tournament.entrants} == {"random", "greedy", "search"}
    assert {entrant.transport for entrant in tournament.entrants} == {
        Transport.PIPE,
        Transport.GRPC,
    }
    (played,) = tournament.games
    assert played.table_sizes == (2, 3)
    assert list(played.variants) == ["plain", "recipes"]


def test_the_template_says_tournament() -> None:
    """A league is something else, with a file of its own."""
    first, *_ = template().splitlines()
    assert first.startswith("# A tournament for Highstreet.")
    assert "tournament" in read(template()).title
    assert "league" not in template().lower()


def test_the_template_shows_every_key_and_says_what_it_is_for() -> None:
    lines = template().splitlines()
    assert max(map(len, lines)) <= 100
    for keys in KEYS.values():
        for key in keys:
            shown = [line for line in lines if re.match(rf"(# )?(\[+{key}\]|{key} = )", line)]
            assert any(line.count("#") > line.startswith("# ") for line in shown), key


def test_the_template_says_the_defaults() -> None:
    """To delete a line that says a default changes nothing."""
    tournament = read(template())
    short = read(re.sub(r"(?ms)^\[time_control\].*?(?=^\[\[)", "", template()))
    assert short == tournament


@pytest.mark.parametrize("several", [False, True])
def test_what_the_template_shows_in_comments_is_right(tmp_path: Path, several: bool) -> None:
    (tmp_path / "bots" / "mine").mkdir(parents=True)
    (tmp_path / "bots" / "mine" / "my-bot").touch(mode=0o755)
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).touch()
    tournament = read(template_in_use(several_games=several), tmp_path)
    games = [(played.game, played.sets_per_table) for played in tournament.games]
    one = [("glastonbury", 1)]
    assert games == ([("glastonbury", 2), ("kupferkessel", 1)] if several else one)
    assert tournament.max_matches == 400
    assert tournament.run.workers == 2
    assert [entrant.name for entrant in tournament.entrants[3:]] == ["mine", "theirs", "guest"]


def refused(text: str) -> SettingsFileError | None:
    try:
        read(text)
    except SettingsFileError as error:
        return error
    return None


def only_refuses(text: str) -> None:
    """Read a text, or find out what is wrong, in a line that is there, and nothing worse."""
    if error := refused(text):
        assert error.problems
        for problem in error.problems:
            assert 1 <= problem.line <= text.count("\n") + 1
            assert problem.sentence.isprintable()


@given(st.text())
@example("\ufeff")
@example("x = 0o" + "7" * 9000)
def test_any_text_is_read_or_refused(text: str) -> None:
    only_refuses(text)


LITERALS = [
    *["true", "0", "-1", "7", "1e400", "-nan", "inf", "0.5", f"0x{'f' * 5000}", "1979-05-27"],
    *["07:32:00", "1979-05-27 07:32:00Z", "''", "'a'", '"\\u0000"', '"a\\nb"', '"\\U0010FFFF"'],
    *["'''\na\n'''", "[]", "[[]]", "[{}]", "[1, 'a']", "[1.5]", "{}", "{ a = 1 }", "{ a.b = [] }"],
    *["[2, 2, 3]", "'both'", "'./x'", "'/'", '["a\\u0000/"]', "'remote'", f"'{SECRET}'"],
    *["'gauntlet'", "'random'", f"'{'/x' * 3000}'", "'search'"],
]


@settings(max_examples=200)
@given(st.data())
def test_any_value_of_any_key_is_read_or_refused(data: st.DataObject) -> None:
    lines = template_in_use(several_games=data.draw(st.booleans())).splitlines()
    pairs = [number for number, line in enumerate(lines) if re.match(r"\w+ = ", line)]
    for number in data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=4)):
        key = lines[number].partition(" = ")[0]
        lines[number] = f"{key} = {data.draw(st.sampled_from(LITERALS))}"
    only_refuses("\n".join(lines))


def _cut(text: str, at: int, to: int) -> str:
    return text[:at] + text[to:]


def _repeat(text: str, at: int, to: int) -> str:
    return text[:to] + text[at:]


def _reverse(text: str, at: int, to: int) -> str:
    return text[:at] + "\n".join(reversed(text[at:to].split("\n"))) + text[to:]


@settings(max_examples=200)
@given(st.data())
def test_a_damaged_template_is_read_or_refused(data: st.DataObject) -> None:
    text = template()
    edits: list[Callable[[str, int, int], str]] = [_cut, _repeat, _reverse]
    for edit in data.draw(st.lists(st.sampled_from(edits), max_size=3)):
        at = data.draw(st.integers(0, len(text)))
        text = edit(text, at, at + data.draw(st.integers(0, 200)))
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.text(alphabet="[]{}=.,#'\"\\\n ax1\0é", max_size=5)) + text[at:]
    only_refuses(text)
