"""The sample bots of every language: what each needs, how it is built and run.

Each folder has a ``language.toml``:

    name = "Go"
    needs = ["go >= 1.21"]              commands that building takes, and their lowest versions
    debian = []                         Debian packages with what a machine may lack
    build = [["go", "build", "-o", "build/bot", "."]]
    lint = [["go", "vet", "./..."]]     what must be silent besides; left out if the build says it
    run = ["build/bot"]                 followed by random, greedy, or shuffle SEED N
    transport = "grpc"                  or "pipe", which is the default
    games = ["glastonbury"]             what greedy plays; random plays any game
    runtime = "go"                      what a package of this language names in its bot.toml
    shared = ["stdio/c/json.c"]         files of other folders that belong to it

    [probe]                             where commands are not all that building takes
    needs = "the library"               what this finds out
    command = ["cmake", "-S", "."]      fails without it; run in the folder, and "{scratch}" is an
                                        empty folder
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sample_bots
from engine import UsageError, did_you_mean
from referee.model import Transport

HOME = Path(sample_bots.__file__).parent
ALIASES = {"typescript": "javascript"}
"""Languages whose template is that of another one: Node runs it without a compiler."""
LAST_LINES = 20
"""How much of a failed build is shown."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A command that succeeds only where something is installed."""

    needs: str
    """What it finds out, in words."""
    command: tuple[str, ...]


@functools.cache
def _is_there(need: str) -> bool:
    """Tell whether a command such as "node" is there, or one such as "node >= 20"."""
    command, _, lowest = need.partition(" >= ")
    if shutil.which(command) is None:
        return False
    if not lowest:
        return True
    asked = [command, "version" if command == "go" else "--version"]
    ran = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603  as below
    said = ran.stdout + ran.stderr
    found = re.search(r"\d+\.[\d.]*\d", said) or re.search(r"\d+", said)
    return found is not None and _numbers(found[0]) >= _numbers(lowest)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


@functools.cache
def _succeeds(folder: Path, probe: Probe) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        words = [scratch if word == "{scratch}" else word for word in probe.command]
        ran = subprocess.run(words, cwd=folder, capture_output=True, check=False)  # noqa: S603  as below
    return ran.returncode == 0


@dataclass(frozen=True, slots=True)
class Language:
    """The bots of one language."""

    key: str
    """What it is called on the command line: the name of its folder."""
    name: str
    folder: Path
    needs: tuple[str, ...]
    debian: tuple[str, ...]
    build: tuple[tuple[str, ...], ...]
    lint: tuple[tuple[str, ...], ...]
    run: tuple[str, ...]
    transport: Transport
    games: tuple[str, ...]
    """The games that greedy plays; random plays any."""
    probe: Probe | None = None
    """What finds out whether there is all that building takes besides commands."""
    runtime: str = ""
    """The runtime of a package in this language, as its manifest names it."""
    shared: tuple[Path, ...] = ()
    """Files outside of the folder that belong to it."""

    def missing(self) -> list[str]:
        """Return what building takes and is not there."""
        missing = [need for need in self.needs if not _is_there(need)]
        if not missing and self.probe is not None and not _succeeds(self.folder, self.probe):
            return [self.probe.needs]
        return missing

    def how_to_get(self) -> str:
        """Say how what is missing is installed, where that is known."""
        if not self.debian:
            return "README.md of the sample bot says what it needs."
        return f"On Debian: apt install {' '.join(self.debian)}"

    @property
    def built(self) -> bool:
        """Whether the file is there that the command starts."""
        return any((self.folder / word).is_file() for word in self.run)

    def command(self, *arguments: str) -> tuple[str, ...]:
        """Return how the bot is started from any folder."""
        program, *rest = self.run
        path = self.folder / program
        return (str(path) if path.exists() else program, *map(self._whole, rest), *arguments)

    def _whole(self, word: str) -> str:
        """Return a word of the command; one that names a file of the folder, with its path."""
        path = self.folder / word
        return str(path) if path.exists() else word


class BuildError(UsageError):
    """Bots that could not be built."""


def languages() -> dict[str, Language]:
    """Return every language that has a folder, by key."""
    return _read([*HOME.glob("*/language.toml"), *HOME.glob("stdio/*/language.toml")])


def templates() -> dict[str, Language]:
    """Return the languages that have a template of a package, by key."""
    return _read(HOME.glob("templates/*/language.toml"))


def _read(files: Iterable[Path]) -> dict[str, Language]:
    found = {}
    for path in sorted(files):
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        key = path.parent.name
        found[key] = Language(
            key,
            said["name"],
            path.parent,
            tuple(said["needs"]),
            tuple(said["debian"]),
            tuple(map(tuple, said["build"])),
            tuple(map(tuple, said.get("lint", ()))),
            tuple(said["run"]),
            Transport(said.get("transport", "pipe")),
            tuple(said.get("games", ())),
            _probe(said.get("probe")),
            said.get("runtime", ""),
            tuple(HOME / name for name in said.get("shared", ())),
        )
    return found


def _probe(said: dict[str, Any] | None) -> Probe | None:
    return Probe(said["needs"], tuple(said["command"])) if said else None


def find_language(key: str) -> Language:
    """Return a language with sample bots by its key; raises UsageError."""
    return _find(key, languages(), "sample bots")


def find_template(key: str) -> Language:
    """Return a language with a template by its key; raises UsageError."""
    return _find(ALIASES.get(key, key), templates(), "a template")


def _find(key: str, known: Mapping[str, Language], what: str) -> Language:
    if key not in known:
        hint = did_you_mean(key, [*known, *ALIASES])
        raise UsageError(f'there is no "{key}" with {what}.{hint} There are {", ".join(known)}.')
    return known[key]


def build(language: Language) -> list[str]:
    """Build the bots of a language, and return the warnings; raises BuildError."""
    said = [line for command in language.build for line in _run(language, command)]
    return [line for line in said if "warning:" in line.lower()]


def lint(language: Language) -> None:
    """Check the sources of a language as its people do; raises BuildError."""
    for command in language.lint:
        _run(language, command)


def _run(language: Language, command: Sequence[str]) -> list[str]:
    """Run a command in the folder and return what it says; raises BuildError if it fails."""
    try:
        ran = subprocess.run(  # noqa: S603  commands of our own files
            command, cwd=language.folder, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise BuildError(f"{language.name}: cannot start {command[0]}: {error.strerror}.") from None
    said = (ran.stdout + ran.stderr).splitlines()
    if ran.returncode:
        last = said[-LAST_LINES:]
        raise BuildError("\n".join([f"{language.name}: `{' '.join(command)}` failed:", *last]))
    return said
