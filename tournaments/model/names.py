"""What leagues, entrants and versions may be called."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from tournaments.model.errors import InvalidError

HOUSE: Final = "the house"
"""The author of the bots that a server starts itself: they may meet each other."""
LONGEST_NAME: Final = 60
LONGEST_AUTHOR: Final = 100
LONGEST_VERSION: Final = 60
LONGEST_REASON: Final = 500

_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def check_slug(text: str) -> None:
    """Refuse what cannot be the id of a league; raises InvalidError."""
    if not _SLUG.fullmatch(text):
        raise InvalidError(
            "the id of a league is 1 to 40 small letters, digits and hyphens, and does not begin "
            "with a hyphen."
        )


def check_line(what: str, text: object, most: int, least: int = 1) -> None:
    """Refuse what is not one line of printable text; raises InvalidError."""
    if not isinstance(text, str) or not least <= len(text) <= most:
        raise InvalidError(f"{what} must have {least} to {most} characters.")
    if not text.isprintable() or text != text.strip():
        raise InvalidError(f"{what} must be one line of text without spaces around it.")


def check_name(name: str) -> None:
    """Refuse what cannot be the name of an entrant; raises InvalidError."""
    check_line("the name of an entrant", name, LONGEST_NAME)
    if set(name) & set("@/\\") or name.startswith("."):
        raise InvalidError(
            "the name of an entrant has no @, no slash and no backslash, and does not begin "
            "with a dot."
        )


def check_version(version: str) -> None:
    """Refuse what cannot be the version of a bot; raises InvalidError."""
    check_line("the version of a bot", version, LONGEST_VERSION, least=0)


def folded(name: str) -> str:
    """Return the form of a name that must be unique, because equal forms look alike."""
    return unicodedata.normalize("NFKC", name).casefold()


def refuse_house(author: str) -> None:
    """Refuse the author of the server's own bots as the name of another; raises InvalidError."""
    if folded(author) == folded(HOUSE):
        raise InvalidError(f'"{HOUSE}" stands for the bots of the server: choose another author.')
