"""Bots that are handed in: the format of a package, its build, and the check before it plays."""

from __future__ import annotations

from tournaments.submissions.archive import (
    MANIFEST,
    PackageError,
    PackageLimits,
    pack,
    package_hash,
    unpack,
)
from tournaments.submissions.build import BuildError
from tournaments.submissions.cache import CacheLimits, PackageCache, UnpackedPackage
from tournaments.submissions.downloads import may_download
from tournaments.submissions.entrants import build_entrants
from tournaments.submissions.package import (
    bot_command,
    cache_folder,
    packed_bytes,
    read_manifest,
    read_package,
)
from tournaments.submissions.queue import SubmissionQueue
from tournaments.submissions.receiving import Uploads, receive_package
from tournaments.submissions.runtimes import (
    AS_INSTALLED,
    find_runtime,
    installed_runtimes,
    refuse_visible,
)
from tournaments.submissions.trial import PackageTrial, StageError, TrialPlan

__all__ = [
    "AS_INSTALLED",
    "MANIFEST",
    "BuildError",
    "CacheLimits",
    "PackageCache",
    "PackageError",
    "PackageLimits",
    "PackageTrial",
    "StageError",
    "SubmissionQueue",
    "TrialPlan",
    "UnpackedPackage",
    "Uploads",
    "bot_command",
    "build_entrants",
    "cache_folder",
    "find_runtime",
    "installed_runtimes",
    "may_download",
    "pack",
    "package_hash",
    "packed_bytes",
    "read_manifest",
    "read_package",
    "receive_package",
    "refuse_visible",
    "unpack",
]
