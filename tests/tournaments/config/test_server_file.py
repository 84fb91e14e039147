"""Server files: what they mean, and every mistake at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournaments.config import SettingsFileError, parse_server
from tournaments.model import RuntimeSettings, RuntimesSettings, ServerFile

WHOLE = """[runtimes]
only_listed = true
[runtimes.python]
program = "/usr/bin/python3"
paths = ["/opt/python", "/opt/data"]
environment = { X = "y" }
[runtimes."c++"]
enabled = false
[runtimes.lua]
program = "/opt/lua/bin/lua"
"""


def test_every_key_is_read() -> None:
    python = RuntimeSettings(
        program=Path("/usr/bin/python3"),
        paths=(Path("/opt/python"), Path("/opt/data")),
        environment={"X": "y"},
    )
    listed = {
        "python": python,
        "c++": RuntimeSettings(enabled=False),
        "lua": RuntimeSettings(program=Path("/opt/lua/bin/lua")),
    }
    assert parse_server(WHOLE, "s.toml") == ServerFile(RuntimesSettings(listed, only_listed=True))


@pytest.mark.parametrize("text", ["", "[runtimes]", "[runtimes]\nonly_listed = false"])
def test_every_key_has_a_default(text: str) -> None:
    assert parse_server(text, "s.toml") == ServerFile()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[runtimes]", "[runtime]", '1: there is no key "runtime" at the top. Did you mean "runt'),
        ("only_listed", "only_listd", '2: there is no key "only_listd" in [runtimes]. Did you'),
        ("= true", '= "yes"', '2: only_listed is "yes", but must be true or false'),
        (
            "program = ",
            "programme = ",
            '4: there is no key "programme" in [runtimes.python]. Did you mean "program"?',
        ),
        ('"/usr/bin/python3"', '"python3"', '4: program is "python3", but must be a path that'),
        ('"/opt/data"', '"data"', '5: paths is "data", but must be a path that begins with /'),
        ('["/opt/python", "/opt/data"]', '"/opt"', '5: paths is "/opt", but must be a list'),
        ('X = "y"', "X = 1", "6: X must be text in quotes"),
        ('X = "y"', 'HIGHSTREET_X = "y"', "6: HIGHSTREET_X cannot be set"),
        ("enabled = false", "enabled = 0", "8: enabled is 0, but must be true or false"),
        (
            "[runtimes.python]\nprogram = ",
            "[runtimes.pyhton]\n# ",
            '3: there is no runtime "pyhton". Did you mean "python"? One of your own needs a prog',
        ),
        ("[runtimes.lua]", "[runtimes.'']", "9: the name of a runtime has 1 to 40 printable"),
        ("only_listed = true", "go = true", "2: go is true, but must be a table: [runtimes.go]."),
    ],
)
def test_a_mistake_is_named_at_its_line(old: str, new: str, problem: str) -> None:
    assert old in WHOLE
    with pytest.raises(SettingsFileError) as refusal:
        parse_server(WHOLE.replace(old, new, 1), "s.toml")
    assert f"s.toml:{problem}" in str(refusal.value)
