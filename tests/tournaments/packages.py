"""Bots as packages, to test with."""

from __future__ import annotations

import shutil
from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python"
UNKNOWN = "cobol"
"""A runtime that no machine has: a package that asks for it fails without a sandbox."""


def bot_folder(
    folder: Path,
    name: str,
    *,
    runtime: str = UNKNOWN,
    content: bytes = b"",
    public: bool = False,
) -> Path:
    """Make the folder of the smallest bot, with a file of any content beside it."""
    folder.mkdir()
    shutil.copy(SAMPLES / "tiny_bot.py", folder)
    (folder / "content").write_bytes(content)
    (folder / "bot.toml").write_text(
        f'[bot]\nname = "{name}"\ngames = ["glastonbury"]\npublic = {str(public).lower()}\n'
        f'[run]\ncommand = ["python3", "tiny_bot.py"]\nruntime = "{runtime}"\n',
        encoding="utf-8",
    )
    return folder
