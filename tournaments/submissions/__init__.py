"""Bots that are handed in: the format of a package, its build, and the check before it plays."""

from __future__ import annotations

from tournaments.submissions.archive import PackageError, PackageLimits, pack, package_hash, unpack
from tournaments.submissions.build import BuildError
from tournaments.submissions.cache import cache_folder
from tournaments.submissions.entrants import build_entrants, last_lines
from tournaments.submissions.package import bot_command, read_manifest, read_package
from tournaments.submissions.runtimes import RUNTIMES, find_runtime, installed_runtimes
from tournaments.submissions.trial import (
    CheckedPackage,
    Progress,
    Stage,
    check_package,
)

__all__ = [
    "RUNTIMES",
    "BuildError",
    "CheckedPackage",
    "PackageError",
    "PackageLimits",
    "Progress",
    "Stage",
    "bot_command",
    "build_entrants",
    "cache_folder",
    "check_package",
    "find_runtime",
    "installed_runtimes",
    "last_lines",
    "pack",
    "package_hash",
    "read_manifest",
    "read_package",
    "unpack",
]
