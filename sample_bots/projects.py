"""Projects for new bots: templates of packages over pipes, and the sample bots over gRPC."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from string import Template

from engine import GAMES
from sample_bots.languages import HOME, Language

PROTO = "../../proto"
"""The path of the .proto files in the sources of the sample bots."""
DESCRIPTION = "language.toml"
"""The file of a template that describes it; a project has a manifest for it."""
PURPOSES = {
    "bot": "chooses the moves: begin here",
    "json": "a tiny reader of JSON",
    "plumbing": "lines of JSON on standard input and output; you need not read it",
}
"""What the files of a template are for, by name."""


def write_template(language: Language, folder: Path, name: str) -> None:
    """Write the template of a language as a package: a bot of this name with its manifest."""
    own = [path for path in language.folder.rglob("*") if path.is_file()]
    files = {path.relative_to(language.folder): path for path in own if path.name != DESCRIPTION}
    files = {path: file for path, file in files.items() if "__pycache__" not in path.parts}
    files |= {Path(path.name): path for path in language.shared}
    for target, source in files.items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        (folder / target).write_bytes(source.read_bytes())
    words = _words(language, name, sorted(files))
    for document in ("bot.toml", "README.md"):
        text = (HOME / "templates" / document).read_text(encoding="utf-8")
        (folder / document).write_text(Template(text).substitute(words), encoding="utf-8")


def _words(language: Language, name: str, files: Iterable[Path]) -> dict[str, str]:
    """Return what stands for the names with a $ in the documents of a template."""
    build = [f"\n[build]\ncommand = [{_listed(command)}]\n" for command in language.build]
    return {
        "bot": name,
        "language": language.name,
        "needs": " and ".join(language.needs),
        "games": _listed(GAMES),
        "build": "".join(build),
        "run": _listed(language.run),
        "runtime": language.runtime,
        "files": "\n".join(f"| `{file}` | {_purpose(file)} |" for file in files if _purpose(file)),
        "play": "\n".join(f"    {line}" for line in play_commands(language)),
    }


def _purpose(file: Path) -> str:
    return PURPOSES.get(file.stem.lower().removeprefix("my"), "")


def _listed(words: Iterable[str]) -> str:
    return ", ".join(map(json.dumps, words))


def play_commands(language: Language, *arguments: str) -> list[str]:
    """Return the commands that build the bot of a project, and let it play a match."""
    build = [" ".join(command) for command in language.build]
    run = " ".join([*language.run, *arguments])
    return [*build, f'highstreet play --transport {language.transport.value} "{run}" random']


def write_sample(source: Path, folder: Path) -> None:
    """Copy the sources of a sample bot, and the .proto files if they name them."""
    needs_protocol = False
    for path in sorted(source.rglob("*")):
        inner = path.relative_to(source)
        if path.is_dir() or _is_made(inner, source):
            continue
        target = folder / inner
        target.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        needs_protocol |= PROTO.encode() in data
        target.write_bytes(data.replace(PROTO.encode(), b"proto"))
        shutil.copymode(path, target)
    if needs_protocol:
        shutil.copytree(_protocol() / "highstreet", folder / "proto" / "highstreet")


def _is_made(inner: Path, source: Path) -> bool:
    """Return whether the .gitignore of the folder lists a file as output of a build."""
    ignore = source / ".gitignore"
    made = ignore.read_text(encoding="utf-8").split() if ignore.exists() else []
    names = {name.strip("/") for name in [*made, "__pycache__"]}
    folders = {folder.as_posix() for folder in [inner, *inner.parents]}
    return not names.isdisjoint(folders | set(inner.parts))


def _protocol() -> Path:
    """Return the folder of the .proto files: in a wheel beside the bots, else in the sources."""
    return HOME / "proto" if (HOME / "proto").exists() else HOME.parent / "proto"
