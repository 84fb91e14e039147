"""The languages that are tested here: those that HIGHSTREET_LANGUAGES wants, and that are built."""

from __future__ import annotations

import os

import pytest

from sample_bots.languages import Language, languages

WANTED = os.environ.get("HIGHSTREET_LANGUAGES", "")
"""``here`` for those whose toolchain is here, ``all`` if one that is missing is a failure."""
LANGUAGES = languages()


def skip_unless_wanted() -> None:
    """Skip a module in which no language is wanted."""
    if not WANTED:
        reason = "bots in other languages are tested by make test-bots"
        pytest.skip(reason, allow_module_level=True)


def here(own: Language) -> Language:
    """Return a language whose bots have been built; skip one whose toolchain is missing."""
    installed(own)
    if not own.built:
        lacks(f"{own.name} is not built: run make bots")
    return own


def installed(own: Language) -> Language:
    """Return a language whose toolchain is here; skip one where it is missing."""
    if missing := own.missing():
        lacks(f"{own.name} needs {' and '.join(missing)}")
    return own


def lacks(reason: str) -> None:
    """Skip a test of what is not here; fail if all languages are wanted."""
    if WANTED == "all":
        pytest.fail(reason)
    pytest.skip(reason)
