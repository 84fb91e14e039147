"""Where the story of a game is found, if it has one."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from engine.story import Story


@cache
def find_story(game: str) -> Story | None:
    """Return the story of a registered game; nothing if it has none yet."""
    name = f"engine.{game}.story"
    if find_spec(f"engine.{game}") is None or find_spec(name) is None:
        return None
    story: Story = import_module(name).STORY
    return story
