"""Paths in a tournament file, which are relative to it and must lead somewhere."""

from __future__ import annotations

from pathlib import Path

from tournaments.file.toml_reader import Table, quoted


def read_path(table: Table, key: str, base: Path | None, *, folder: bool = False) -> Path | None:
    """Read the path of a file, or of a folder; without a base it need not be there."""
    written = table.text(key, None)
    if written is None:
        return None
    if base is None:
        return Path(written)
    path = base / written
    if not (is_folder(path) if folder else is_file(path)):
        what = "folder" if folder else "file"
        table.complain(f"{key} is {quoted(written)}, but there is no {what} {path}.", key)
        return None
    return path


def is_file(path: Path) -> bool:
    """Tell whether a file is there; a path that cannot be is not there."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Tell whether a folder is there; a path that cannot be is not there."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
