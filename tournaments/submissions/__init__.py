"""Bots that are handed in: the format of a package, its build, and the check before it plays."""

from __future__ import annotations

from tournaments.submissions.archive import PackageError, PackageLimits, pack, package_hash, unpack
from tournaments.submissions.build import BuildError
from tournaments.submissions.runtimes import AS_INSTALLED, find_runtime, installed_runtimes
from tournaments.submissions.trial import (
    CheckedPackage,
    Progress,
    Stage,
    bot_command,
    check_package,
    read_manifest,
)

__all__ = [
    "AS_INSTALLED",
    "BuildError",
    "CheckedPackage",
    "PackageError",
    "PackageLimits",
    "Progress",
    "Stage",
    "bot_command",
    "check_package",
    "find_runtime",
    "installed_runtimes",
    "pack",
    "package_hash",
    "read_manifest",
    "unpack",
]
