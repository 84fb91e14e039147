"""What a tournament file is refused for: every problem, in its line, and none that follows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tournaments.tournament_files import SECRET, SMALL, TWO, entrants, read, refusal


def bad(text: str, *expected: tuple[int, str]) -> Any:
    """Return a file with the lines of its problems, and a part of what is said there."""
    return pytest.param(text, expected, id=expected[0][1])


def top(text: str, *expected: tuple[int, str]) -> Any:
    """Put text, from line 1, above a good file."""
    return bad(f"{text}\n{SMALL}", *expected)


def under(text: str, *expected: tuple[int, str]) -> Any:
    """Put text, from line 2, between the name and the entrants."""
    return bad(f'name = "x"\n{text}\n{TWO}', *expected)


def second(text: str, *expected: tuple[int, str]) -> Any:
    """Put text, from line 8, at the end of the second entrant, which is a sample bot."""
    return bad(SMALL + text, *expected)


def third(text: str, *expected: tuple[int, str]) -> Any:
    """Put text, from line 10, in an entrant called c."""
    return bad(f"{SMALL}[[entrants]]\nname = 'c'\n{text}", *expected)


def named(name: str, *expected: tuple[int, str]) -> Any:
    """Give an entrant that name, in line 4."""
    return under(f'[[entrants]]\nbot = "random"\nname = "{name}"', *expected)


NOT_TOML = [
    bad("name = Spring", (1, "this is no TOML: invalid value at column 8. Text stands in quotes")),
    bad('name = "x"\nname = "y"\n', (2, "cannot overwrite a value at column 11. Each key stands")),
    bad('name = "x"\ngame "y"\n', (2, "expected '=' after a key in a key/value pair at column 6.")),
    bad('a = 1\n\nname = "x\n', (3, "illegal character '\\n' at column 10. Is there a quotation")),
    bad('a = 1\nname = """x\n\n', (2, "unterminated string at the end. Is there a quotation")),
    bad("[run]\n[run]\n", (2, "cannot declare ('run',) twice at column 5. Each table")),
    bad("[[entrants]\n", (1, "expected ']]' at the end of an array declaration at column 11.")),
    bad('\nx = "C:\\games"\n', (2, "Write a backslash twice, or the text in 'single quotes'.")),
    bad("\n\nx = " + "[" * 5000, (3, "lists or tables are nested too deeply.")),
    bad("\n\nx = " + "9" * 5000 + "\n", (3, "a number has too many digits.")),
]

NOT_THERE = [
    bad("", (1, "the tournament has no name: write"), (1, "there are no entrants: write [[entr")),
    bad(TWO, (1, 'the tournament has no name: write name = "…" at the top.')),
    bad('\nname = "x"\n\nentrants = []\n', (4, "there are no entrants: write [[entrants]]")),
]

UNKNOWN_KEYS = [
    top("tabel_sizes = [2]", (1, 'key "tabel_sizes" at the top. Did you mean "table_sizes"? The')),
    top("zzz = 1", (1, 'there is no key "zzz" at the top. The keys are name, game, table_sizes')),
    top('"a\\nb" = 1', (1, 'there is no key "a\\nb" at the top.')),
    top(f"{'y' * 61} = 1", (1, f'there is no key "{"y" * 60}…" at the top.')),
    top("per_move = 1", (1, '"per_move" belongs in [time_control], not at the top.')),
    second('rating = "openskill"\n', (8, '"rating" belongs at the top, not in [[entrants]].')),
    under("[time_control]\npermove = 2", (3, '[time_control]. Did you mean "per_move"? The keys')),
    under("[policy]\ncrashes = 2", (3, 'in [policy]. Did you mean "crash"? The keys are illegal')),
    under("[run]\ntable = 2", (3, 'no key "table" in [run]. Did you mean "tables"?')),
    second("athor = 'A'", (8, 'in [[entrants]]. Did you mean "author"? The keys are name, bot')),
    under("[variants]\nrecipe = 'on'", (3, 'in [variants]. Did you mean "recipes"?')),
    under("[options]\ncolors = 'YG'", (3, 'in [options]. Did you mean "colours"?')),
]

VALUES = [
    bad("name = 3\n" + TWO, (1, "name is 3, but must be text in quotes.")),
    bad('name = ""\n' + TWO, (1, "name has 0 characters, but must have 1 to 100.")),
    bad(f"name = '{'x' * 101}'\n{TWO}", (1, "name has 101 characters, but must have 1 to 100.")),
    bad('name = """a\nb"""\n' + TWO, (1, 'name is "a\\nb", but must be one line of text')),
    bad("name = ' a'\n" + TWO, (1, 'name is " a", but must be one line of text without spaces')),
    top("sets_per_table = 0", (1, "is 0, but must be a whole number from 1 to 100000.")),
    top("sets_per_table = 1.5", (1, "sets_per_table is 1.5, but must be a whole number")),
    top("sets_per_table = true", (1, "sets_per_table is true, but must be a whole number")),
    top('sets_per_table = "2"', (1, 'sets_per_table is "2", but must be a whole number')),
    top("sets_per_table = 1979-05-27", (1, "sets_per_table is a date or time, but must")),
    top(
        "max_matches = -1", (1, "max_matches is -1, but must be a whole number from 1 to 5000000.")
    ),
    top(f"max_matches = 0x{'f' * 5000}", (1, "max_matches is a very large number, but must be")),
    top("separate_authors = 'yes'", (1, 'is "yes", but must be true or false, without quotes.')),
    top("run = 3", (1, "run is 3, but must be a table: [run].")),
    top("policy = ['x']", (1, "policy is a list, but must be a table: [policy].")),
    top(
        'format = "swis"',
        (1, 'format is "swis", but must be "round_robin", "gauntlet", "comparison"'),
    ),
    top("rounds = 3", (1, 'rounds goes with format = "swiss", not "round_robin".')),
    top("best_of = 3", (1, 'goes with format = "knock_out" or "double_knock_out", not "round_rob')),
    top('format = "swiss"\nmax_matches = 9', (2, 'max_matches does not go with format = "swiss".')),
    top('format = "swiss"\nseeding = "x.json"', (2, 'seeding is "x.json", but there is no file ')),
    top('format = "swiss"\nseeding = "conftest.py"', (2, '"conftest.py" is no standings.json')),
    top('format = "knock_out"\nthird_place = 1', (2, "must be true or false")),
    top("seatings = 'al'", (1, 'must be "rotations" or "all". Did you mean "all"?')),
    top("rating = 'elo'", (1, 'is "elo", but must be "trueskill", "trueskill-sequential" or')),
    top("trueskill.tau = 0.1", (1, 'tau goes with rating = "trueskill-sequential" alone')),
    top("trueskill.beta = 0", (1, "beta is 0, but must be a number from 0.001 to 10000.")),
    top("trueskill.sigma = 900.0", (1, "may differ by a factor of 100 at most.")),
    top("rating = 'openskill'\ntrueskill.mu = 0.0", (2, "[trueskill] has no effect with")),
    top("deals = true", (1, 'deals is true, but must be "duplicate" or "fresh".')),
    top("game = 'glastonbry'", (1, 'no game called "glastonbry". Did you mean "glastonbury"?')),
    top("game = 7", (1, "game is 7, but must be text in quotes.")),
    top("game = 'x'\ntable_sizes = [9]\noptions.x = 1", (1, 'there is no game called "x".')),
    top("format = 'gauntlet'", (1, 'a gauntlet needs a challenger: write challenger = "…"')),
    top("challenger = 'a'", (1, "only a gauntlet or a comparison has a challenger: write format")),
    top(
        "format = 'gauntlet'\nchallenger = 'A'",
        (2, 'the challenger "A" is not among the entrants. Did you mean "a"?'),
    ),
    top(f'secret = "{SECRET[2:]}"', (1, "secret has 30 hex digits, but must have 32 to 1024.")),
    top(f'secret = "{SECRET[1:]}"', (1, "secret must be an even number of hex digits in quotes.")),
    top(f'secret = "{SECRET}  "', (1, "secret must be an even number of hex digits")),
    top("secret = 12345678901234", (1, "secret must be an even number of hex digits")),
]

KINDS = [
    top("table_sizes = [2, 5]", (1, "Glastonbury is for 2, 3 or 4 seats, not for 5.")),
    top("table_sizes = [2,\n2]", (2, "table_sizes has 2 twice: once is enough.")),
    top("table_sizes = 2", (1, "table_sizes is 2, but must be a list, as in table_sizes = [2].")),
    top("table_sizes = []", (1, "table_sizes is an empty list, but must be a list with at least")),
    top("table_sizes = ['2']", (1, 'Glastonbury is for 2, 3 or 4 seats, not for "2".')),
    top("table_sizes = [true]", (1, "Glastonbury is for 2, 3 or 4 seats, not for true.")),
    top(
        "table_sizes = [ # a comment, with 9\n  2,\n  3,\n  4,\n]",
        (3, "a table of 3 needs 3 entrants, but there are 2: enter more, or take 3 out of"),
        (4, "a table of 4 needs 4 entrants, but there are 2"),
    ),
    bad(
        'name = "x"\n' + entrants(None),
        (2, "Glastonbury needs at least 2 entrants, but there is 1."),
    ),
    bad(
        'name = "x"\nseparate_authors = true\n' + entrants("Ann", "Ann"),
        (3, "Glastonbury needs at least 2 entrants of different authors, but there is 1."),
    ),
    bad(
        'table_sizes = [3]\nname = "x"\nseparate_authors = true\n' + entrants("A", "A", "B"),
        (1, "a table of 3 needs 3 entrants of different authors, but there are 2"),
    ),
    under("[variants]\nrecipes = true", (3, 'recipes is true, but must be "off", "on" or "both".')),
    top("variants.recipes = 'no'", (1, 'recipes is "no", but must be "off", "on" or "both".')),
    under("[variants]\ncolours = 'YG'", (3, '"colours" belongs in [options], not in [variants].')),
    under(
        "[options]\n# a comment\nrecipes = true",
        (4, '"recipes" belongs in [variants], not in [options].'),
    ),
    under("[options]\ncolours = ['Y']", (3, "colours is a list, but must be text in quotes.")),
    under("[options]\ndead_end_counts_as_end = 1", (3, "is 1, but must be true or false")),
    under("[options]\ncolours = 'YY'", (3, "colours")),
]

ONE_OF = '[[games]]\ngame = "glastonbury"\n'
"""Two lines."""
GAMES = [
    top("games = []", (1, "there are no games: write [[games]] for each, or game = ")),
    top(
        "games = 3", (1, "games is 3, but must be tables, each under [[games]] in double brackets")
    ),
    under("[games]\ngame = 'gargon'", (2, "games is a table, but must be tables, each under")),
    under("[[games]]\ntable_sizes = [2]", (2, 'a game has no name: write game = "…" under its')),
    under("[[games]]\ngame = 7", (3, "game is 7, but must be text in quotes.")),
    under("[[games]]\ngame = 'gargn'", (3, 'called "gargn". Did you mean "gargon"? The games are')),
    under(ONE_OF + ONE_OF, (5, "glastonbury is the game in line 3 too: put both into one table.")),
    bad(
        f'game = "gargon"\nsets_per_table = 2\nvariants.recipes = "on"\nname = "x"\n{ONE_OF}{TWO}',
        (1, "there are [[games]], so game belongs in each of them, not at the top."),
        (2, "there are [[games]], so sets_per_table belongs in each of them"),
        (3, "there are [[games]], so variants belongs in each of them"),
    ),
    under(
        f"{ONE_OF}tabel_sizes = [2]", (4, 'key "tabel_sizes" in [[games]]. Did you mean "table_s')
    ),
    under(f"{ONE_OF}max_matches = 9", (4, '"max_matches" belongs at the top, not in [[games]].')),
    under(
        f"{ONE_OF}sets_per_table = 0", (4, "sets_per_table is 0, but must be a whole number from")
    ),
    under(f"{ONE_OF}table_sizes = [2,\n5]", (5, "Glastonbury is for 2, 3 or 4 seats, not for 5.")),
    under(
        f"{ONE_OF}table_sizes = [3]", (4, "a table of 3 needs 3 entrants, but there are 2: enter")
    ),
    under(f"{ONE_OF}variants = 3", (4, "variants is 3, but must be a table: [games.variants].")),
    under(
        f"{ONE_OF}variants = {{ recipe = 'on' }}", (4, 'in [games.variants]. Did you mean "recipe')
    ),
    under(f"{ONE_OF}[games.options]\nsymbols = 'all2'", (5, 'key "symbols" in [games.options].')),
    under(
        f"{ONE_OF}[games.options]\nrecipes = true",
        (5, '"recipes" belongs in [games.variants], not in [games.options].'),
    ),
    under(
        f"{ONE_OF}[games.variants]\ncolours = 'YG'",
        (5, '"colours" belongs in [games.options], not in [games.variants].'),
    ),
    under(
        f"{ONE_OF}[[games]]\ngame = 'kupferkessel'\n[games.options]\nsymbols = 'all3'",
        (7, "symbols"),
    ),
    under(
        f"{ONE_OF}[[games]]\ngame = 'gargon'\nvariants.open_captures = 'no'",
        (5, "Gargon needs at least 3 entrants, but there are 2."),
        (6, 'open_captures is "no", but must be "off", "on" or "both".'),
    ),
    bad(
        f'separate_authors = true\nname = "x"\n{ONE_OF}{entrants("A", "A")}',
        (4, "Glastonbury needs at least 2 entrants of different authors, but there is 1."),
    ),
]

TIMES_AND_POLICY = [
    under("[time_control]\n\nbank = -1", (4, "bank is -1, but must be a number of seconds from 0")),
    under("[time_control]\nbank = nan", (3, "bank is nan, but must be a number of seconds")),
    under("[time_control]\nbank = inf", (3, "bank is inf, but must be a number of seconds")),
    under("[time_control]\nbank = true", (3, "is true, but must be a number of seconds from 0 to")),
    under(
        "[time_control]\nbank = 31536001", (3, "but must be a number of seconds from 0 to 31536")
    ),
    under("[time_control]\nlatency = 1\nper_move = 0", (4, "leaves no time to think: give per_mo")),
    under("[policy]\ncrash = 'forfiet'", (3, '"strike" or "forfeit". Did you mean "forfeit"?')),
    under("[policy]\nstrikes = 1\ntime_out = 'reject'", (4, "time_out cannot lead to reject")),
    under("[policy]\nstrikes = -1", (3, "strikes is -1, but must be a whole number from 0 to")),
    under("[policy]\nbench_after = '5'", (3, 'bench_after is "5", but must be a whole number')),
]

RUN = [
    under("[run]\ntables = 0", (3, "tables is 0, but must be a whole number from 1 to 512.")),
    under("[run]\nworkers = 0", (3, "workers is 0, but must be a whole number from 1 to")),
    under("[run]\nlisten = '127.0.0.1'", (3, 'but must be a host and a port, as in "127.0.0.1:0"')),
    under("[run]\nlisten = ':1'", (3, 'listen is ":1", but must be a host and a port')),
    under("[run]\nlisten = 'x:65536'", (3, 'listen is "x:65536", but must be a host and a port')),
    under("[run]\nlisten = 5", (3, "listen is 5, but must be text in quotes.")),
    under("[run]\nremote_seconds = 0", (3, "remote_seconds is 0, but must be a number of seconds")),
    under(
        "[run]\ntls_cert = 'tournament_files.py'",
        (3, "tls_cert and tls_key belong together: give bo"),
    ),
    under(
        "[run]\ntls_cert = 'tournament_files.py'\ntls_key = 'nowhere'",
        (4, 'tls_key is "nowhere", but there is no file /'),
    ),
]

IN_ONE = """\
name = "x"
entrants = [ # all in one
  { bot = "random", name = "a" },
  { bot = "random",    name = "A" },
]
"""
NAMES = [
    second('[[entrants]]\nbot = "random"\n', (8, 'an entrant has no name: write name = "…" under')),
    second(
        '[[entrants]]\nbot = "random"\nname = 1', (10, "name is 1, but must be text in quotes.")
    ),
    second(
        '[[entrants]]\nbot = "random"\nname = "A"',
        (10, 'the name "A" is taken by the entrant in line 3: names must differ in more than'),
    ),
    second('[[entrants]]\nname = "b"\nbot = "random"', (9, "is taken by the entrant in line 6")),
    named("\\uff22", (9, 'the name "b" is taken by the entrant in line 4')),
    bad(IN_ONE, (4, 'the name "A" is taken by the entrant in line 3')),
    *(
        named(name, (4, "but must be letters, digits, spaces and . _ + - and must not begin"))
        for name in (".", "..", ".z", "-z", "y/z", "y\\\\z", "y:z", "z\\u0301", "<z>", "y,z")
    ),
    named("z\\u0000", (4, 'name is "z\\x00", but must be one line of text')),
    named("z\\u001b[31m", (4, 'name is "z\\x1b[31m", but must be one line of text')),
    named(" z", (4, 'name is " z", but must be one line of text without spaces around it.')),
    named("", (4, "name has 0 characters, but must have 1 to 60.")),
    named("z" * 61, (4, "name has 61 characters, but must have 1 to 60.")),
]

ENTRANTS = [
    bad('name = "x"\n[entrants]\nname = "a"\n', (2, "entrants is a table, but must be tables, ea")),
    bad('name = "x"\nentrants = ["a", "b"]', (2, "must be tables, each under [[entrants]] in dou")),
    third("", (8, "exactly one of bot (a sample bot), command, package and remote = true, but")),
    third("remote = false", (8, "but this one has none.")),
    second("command = 'x'", (8, "but this one has bot and command.")),
    second("remote = true", (8, "but this one has bot and remote.")),
    third("remote = 'yes'", (10, 'remote is "yes", but must be true or false')),
    third(
        "bot = 'gredy'", (10, 'no sample bot "gredy". Did you mean "greedy"? The sample bots are')
    ),
    third("bot = 1", (10, "bot is 1, but must be text in quotes.")),
    second("transport = 'remote'", (8, 'transport is "remote", but must be "pipe" or "grpc".')),
    second("author = ''", (8, "author has 0 characters, but must have 1 to 100.")),
    third(
        "remote = true\ntransport = 'grpc'\nfolder = 'x'\nenvironment = { A = 1 }",
        (11, "transport is for bots that the referee starts, but this one is remote"),
        (12, "folder is for bots that the referee starts"),
        (13, "environment is for bots that the referee starts"),
    ),
    *(
        third(
            f"command = {command}", (10, 'must be a program and its arguments, as in ["./my-bot"')
        )
        for command in ("[]", "''", "'  '", "['']", "['a', 1]", "[['a']]", "3", "{ a = 1 }")
    ),
    third('command = "a \'b"', (10, "one that a shell can split: is a quotation mark missing?")),
    third("command = ['a', \"\\u0000\"]", (10, "command contains a zero character")),
    third("\n# where\ncommand = './no-bot -x'", (12, 'the program "./no-bot" is not in /')),
    third("command = './\ud800'", (10, 'the program "./\\ud800" is not in /')),
    third("command = ['./']", (10, 'the program "./" is not in /')),
    third("command = ['/no/such/bot']", (10, "there is no program /no/such/bot.")),
    third(f"command = ['./{'x' * 5000}']", (10, "is not in /")),
    third(
        "command = ['./tournament_files.py']",
        (10, "cannot be run: make it executable with chmod +x"),
    ),
    third(
        "command = './b'\nfolder = 'nowhere'", (11, 'folder is "nowhere", but there is no folder')
    ),
    second(
        "folder = 'tournament_files.py'",
        (8, 'folder is "tournament_files.py", but there is no folder /'),
    ),
    second("folder = 3", (8, "folder is 3, but must be text in quotes.")),
    second("environment = 'A=1'", (8, 'is "A=1", but must be a table: [entrants.environment].')),
    second("environment = { A = 1 }", (8, 'A must be text in quotes, as in A = "3".')),
    second("[entrants.environment]\nA = 'x'\nB = true", (10, "B must be text in quotes")),
    second("environment.'A=B' = 'x'", (8, '"A=B" is no name of a variable: use letters')),
    second('environment.A = "\\u0000"', (8, "A must be text in quotes")),
    second("environment.HIGHSTREET_TOKEN = 'x'", (8, "HIGHSTREET_TOKEN cannot be set: HIGHSTREET")),
]

DECEPTIVE = """\
name = "x"
# [[entrants]]
[[entrants]]
name = "a"
bot = "random"
[entrants.environment]
TEXT = \"\"\"
[[entrants]]
name = "b"
\"\"\"
[[entrants]]
name = "b" # bot = 1
bot = 2
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(NOT_TOML + NOT_THERE + UNKNOWN_KEYS + VALUES + KINDS + GAMES + TIMES_AND_POLICY + RUN),
        *(NAMES + ENTRANTS),
        bad(DECEPTIVE, (13, "bot is 2, but must be text in quotes.")),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["unix", "windows"])
def test_what_is_wrong_is_named_with_its_line(
    text: str, expected: tuple[tuple[int, str], ...], newline: str
) -> None:
    """No problem is missing, and none follows from another."""
    problems = refusal(text.replace("\n", newline)).problems
    assert [problem.line for problem in problems] == [line for line, _ in expected], problems
    for problem, (_, phrase) in zip(problems, expected, strict=True):
        assert phrase in problem.sentence
        assert problem.sentence.isprintable()


def test_a_refusal_reads_like_a_compiler() -> None:
    text = 'name = "x"\nsets_per_tabel = 2\n[[entrants]]\nname = "a"\nbot = "gredy"\n'
    assert str(refusal(f'{text}[[entrants]]\nname = "b"\nremote = true\n')) == (
        'league.toml:2: there is no key "sets_per_tabel" at the top. Did you mean '
        '"sets_per_table"? The keys are name, game, table_sizes, sets_per_table, max_matches, '
        "stop_when, confidence, max_sets, format, challenger, baseline, same_table, margin, "
        "rounds, best_of, extra_sets, third_place, seeding, seatings, "
        "separate_authors, deals, rating, draw_probability, secret, variants, options, "
        "games, trueskill, time_control, policy, run, cluster, entrants.\n"
        'league.toml:5: there is no sample bot "gredy". Did you mean "greedy"? The sample bots '
        "are random, greedy, search. A program of your own is a command."
    )


def test_a_refusal_stops_at_ten() -> None:
    text = "".join(f"zzz{number} = 1\n" for number in range(13)) + SMALL
    lines = str(refusal(text)).splitlines()
    assert lines[9].startswith("league.toml:10: ")
    assert lines[10:] == ["league.toml: and 3 more."]
    assert len(refusal(text).problems) == 13


def test_no_secret_is_repeated() -> None:
    assert SECRET[:-1] not in str(refusal(f'secret = "{SECRET[:-1]}"\n{SMALL}'))
    assert "hush" not in str(refusal(f'{SMALL}environment = {{ KEY = "hush\\u0000", N = 1 }}\n'))


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert read("\ufeff" + SMALL).title == "x"


@pytest.mark.parametrize("name", ["z", "7", "_x", "+1", "Zoë 2.0", "a.b_c+d-e", "x" * 60])
def test_good_names(name: str) -> None:
    assert read(f'{SMALL}[[entrants]]\nname = "{name}"\nremote = true\n').entrants[2].name == name
