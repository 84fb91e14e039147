"""The settings of a league: as values, as JSON, and as a file with line numbers."""

from __future__ import annotations

import json
import pickle
import re
from datetime import timedelta
from importlib.resources import files
from itertools import product
from typing import Any

import pytest

from engine.errors import UsageError
from engine.registry import GAMES
from referee.model.clock import TimeControl
from referee.model.policy import Policy, Reaction
from tournaments.config.league_file import KEYS, parse_league
from tournaments.config.toml_reader import SettingsFileError
from tournaments.model import (
    UNLIMITED,
    GameSettings,
    InvalidError,
    LeagueSettings,
    Pace,
    Retention,
    rated_name,
    split_rated_name,
)

PLAIN: dict[str, Any] = {
    "title": "Autumn",
    "games": [{"game": "glastonbury", "table_sizes": [2, 3]}],
}


@pytest.mark.parametrize("name", GAMES)
def test_every_variant_that_tournaments_name_is_found_by_its_name(name: str) -> None:
    spec = GAMES[name].spec
    switches = [
        option
        for option in spec.options_offered
        if option.variant and isinstance(option.default, bool)
    ]
    for values in product((False, True), repeat=len(switches)):
        chosen = {option.name: option.default for option in spec.options_offered} | {
            option.name: value for option, value in zip(switches, values, strict=True)
        }
        variant = GAMES[name].spec.variant_name(chosen)
        for seats in spec.seats:
            rules = GameSettings(name, (seats,), (variant,))
            assert rules.options_of(variant, seats) == spec.options(seats, chosen)


@pytest.mark.parametrize(
    "variant", ["", "fog", "recipes+", "recipes=1", "plain+recipes", "recipes+fog", "PLAIN"]
)
def test_a_variant_that_there_is_not_is_refused(variant: str) -> None:
    with pytest.raises(UsageError, match="has no variant"):
        GameSettings("glastonbury", (2,), (variant,))


def test_settings_come_back_from_json_and_from_another_process() -> None:
    settings = LeagueSettings(
        "Herbst «1»",
        (GameSettings("glastonbury", (2, 4), ("plain", "recipes")),),
        scheduler="rounds",
        time_control=TimeControl(timedelta(seconds=0.25), bank=timedelta(minutes=1)),
        policy=Policy(time_out=Reaction.FORFEIT, strikes=0),
        deals="duplicate",
        max_tables=3,
        bench_after=0,
        rating="openskill",
    )
    assert LeagueSettings.from_json(settings.as_json()) == settings
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301  our own
    assert hash(LeagueSettings.from_json(settings.as_json())) == hash(settings)


def test_what_json_leaves_out_is_the_default() -> None:
    settings = LeagueSettings.from_json(json.dumps(PLAIN))
    assert (settings.scheduler, settings.deals, settings.rating) == (
        "ladder",
        "fresh",
        "trueskill",
    )
    assert (settings.max_tables, settings.bench_after) == (8, 3)
    assert settings.time_control == TimeControl()
    assert settings.games[0].variants == ("plain",)


def test_a_league_that_was_created_without_budgets_keeps_none_and_keeps_no_authors_apart() -> None:
    before = LeagueSettings.from_json(json.dumps(PLAIN))
    assert before.pace == UNLIMITED
    assert (before.separate_authors, before.separate_addresses) == (False, False)
    assert before.count_striking_pairs
    new = parse_league('title = "x"\ngame = "glastonbury"\n', "league.toml")
    assert (new.separate_authors, new.separate_addresses) == (True, True)
    assert not new.count_striking_pairs
    assert (new.pace, new.retention) == (Pace(), Retention())


def test_pace_and_retention_are_tables_of_the_file() -> None:
    chosen = parse_league(
        f'{FILE}[pace]\nmatches_per_hour = 0\nsettle = "leader"\n[retention]\nkeep_days = 30\n',
        "league.toml",
    )
    assert chosen.pace == Pace(matches_per_hour=0, settle="leader")
    assert chosen.retention == Retention(keep_days=30)
    assert LeagueSettings.from_json(chosen.as_json()) == chosen


@pytest.mark.parametrize(
    "change",
    [
        {"title": ""},
        {"title": 5},
        {"title": "a\nb"},
        {"games": []},
        {"games": None},
        {"games": PLAIN["games"] * 2},
        {"games": [{"game": "glastonbry", "table_sizes": [2]}]},
        {"games": [{"game": "glastonbury", "table_sizes": [7]}]},
        {"games": [{"game": "glastonbury", "table_sizes": ["2"]}]},
        {"games": [{"game": "glastonbury", "table_sizes": []}]},
        {"games": [{"game": "glastonbury", "table_sizes": [2, 2]}]},
        {"games": [{"game": "glastonbury", "table_sizes": [2], "variants": [1]}]},
        {"games": [{"game": "glastonbury", "table_sizes": [2], "options": {"recipes": True}}]},
        {"games": [{"game": "glastonbury", "table_sizes": [2], "option": {}}]},
        {"scheduler": "swiss"},
        {"deals": "again"},
        {"rating": "elo"},
        {"max_tables": 0},
        {"max_tables": 513},
        {"max_tables": True},
        {"max_tables": "8"},
        {"bench_after": -1},
        {"time_control": {"per_move": -1}},
        {"time_control": {"per_move": "1"}},
        {"time_control": {"per_mvoe": 1}},
        {"time_control": {"per_move": 1e300}},
        {"policy": {"time_out": "reject"}},
        {"policy": {"strikes": "3"}},
        {"policy": {"strikes": -3}},
        {"policy": []},
        {"pace": {"settle": "top"}},
        {"pace": {"matches_per_hour": -1}},
        {"pace": {"settle_width": "1"}},
        {"pace": {"speed": 1}},
        {"retention": {"keep_days": -1}},
        {"versions_per_day": 0},
        {"separate_addresses": 1},
        {"count_striking_pairs": "no"},
        {"unknown": 1},
    ],
)
def test_wrong_settings_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        LeagueSettings.from_json(json.dumps({**PLAIN, **change}))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "5", '{"title": "x"}'])
def test_what_are_no_settings_is_refused(text: str) -> None:
    with pytest.raises(InvalidError):
        LeagueSettings.from_json(text)


@pytest.mark.parametrize(("name", "version"), [("ann", "1"), ("ann", ""), ("ann", "a@b")])
def test_a_rated_name_can_be_taken_apart(name: str, version: str) -> None:
    assert split_rated_name(rated_name(name, version)) == (name, version)


# The file ---------------------------------------------------------------------------------------

FILE = """\
title = "Autumn league"
scheduler = "rounds"
deals = "duplicate"
max_tables = 4
bench_after = 5

[[games]]
game = "glastonbury"
table_sizes = [3, 2]
variants.recipes = "both"

[time_control]
per_move = 0.5

[policy]
strikes = 1
"""


def test_a_league_file_says_everything() -> None:
    assert parse_league(FILE, "league.toml") == LeagueSettings(
        "Autumn league",
        (GameSettings("glastonbury", (2, 3), ("plain", "recipes")),),
        scheduler="rounds",
        time_control=TimeControl(timedelta(seconds=0.5)),
        policy=Policy(strikes=1),
        deals="duplicate",
        max_tables=4,
        bench_after=5,
    )


def test_a_draw_probability_belongs_to_its_game() -> None:
    """0.02 and 0.01 are the constants of docs/reference/standings.md."""
    chosen = FILE.replace("[3, 2]", "[3, 2]\ndraw_probability = 0.25")
    assert parse_league(chosen, "league.toml").draw_probability() == {"glastonbury": 0.25}
    several = FILE + '[[games]]\ngame = "kupferkessel"\n'
    assert parse_league(several, "league.toml").draw_probability() == {
        "glastonbury": 0.02,
        "kupferkessel": 0.01,
    }


def test_the_template_of_a_league_shows_every_key_and_can_be_used() -> None:
    text = (files("tournaments.config") / "league_template.toml").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    for keys in KEYS.values():
        for key in keys:
            shown = [line for line in lines if re.match(rf"(# )?(\[+{key}\]|{key} = )", line)]
            assert any(line.count("#") > line.startswith("# ") for line in shown), key
    assert parse_league(text, "league.toml").draw_probability() == {"glastonbury": 0.02}
    used = text.replace("# draw_probability", "draw_probability").replace("0.02", "0.03")
    assert parse_league(used, "league.toml").draw_probability() == {"glastonbury": 0.03}


def test_a_short_league_file_plays_at_all_tables() -> None:
    settings = parse_league('title = "x"\ngame = "glastonbury"\n', "league.toml")
    assert settings == LeagueSettings(
        "x", (GameSettings("glastonbury", GAMES["glastonbury"].spec.seats),)
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "Autumn league"', "", "league.toml:1: the league has no title"),
        ("max_tables = 4", "max_tables = 0", "league.toml:4: max_tables is 0, but must be a whole"),
        ('"rounds"', '"round"', 'league.toml:2: scheduler is "round", but must be "ladder" or'),
        ("bench_after = 5", "entrants = []", 'league.toml:5: there is no key "entrants"'),
        ("[3, 2]", "[3, 9]", "league.toml:9: Glastonbury is for"),
        ("table_sizes = [3, 2]", "draw_probability = 1", "league.toml:9: draw_probability is 1"),
        (
            "table_sizes = [3, 2]",
            'draw_probability = "0.1"',
            "league.toml:9: draw_probability is",
        ),
        ("variants.recipes", "variants.fog", 'league.toml:10: there is no key "fog"'),
        ('variants.recipes = "both"', "sets_per_table = 2", "league.toml:10: there is no key"),
        ("per_move = 0.5", "per_move = -1", "league.toml:13: per_move is -1"),
        ("per_move = 0.5", "per_moev = 1", 'league.toml:13: there is no key "per_moev"'),
        ("strikes = 1", 'time_out = "reject"', "league.toml:16: time_out cannot lead to reject"),
        ("[policy]", "[policy", "league.toml:15: this is no TOML"),
    ],
)
def test_a_mistake_is_found_at_its_line(old: str, new: str, said: str) -> None:
    assert old in FILE
    with pytest.raises(SettingsFileError) as error:
        parse_league(FILE.replace(old, new), "league.toml")
    assert said in str(error.value)
