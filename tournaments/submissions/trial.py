"""What happens to a package before it plays: unpacked, built, and checked at every game."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine import find_game
from referee.devkit import BotCheck, CheckBench, CheckConfig, Step, StepStatus
from referee.model import (
    BotCommand,
    Mount,
    Policy,
    Runtime,
    SandboxKind,
    SandboxSettings,
    TimeControl,
    Transport,
)
from referee.sandbox import Usage
from tournaments.config import parse_manifest
from tournaments.model import Manifest, RuntimesSettings
from tournaments.submissions.archive import MANIFEST, PackageError, package_hash, unpack
from tournaments.submissions.build import PACKAGE, build
from tournaments.submissions.runtimes import AS_INSTALLED, find_runtime


class Stage(StrEnum):
    """The stages of a package, in their order."""

    UNPACKED = "unpacked"
    BUILT = "built"
    CHECKED = "checked"


@dataclass(frozen=True, slots=True)
class Progress:
    """A stage that a package has passed, or a step of the check of a game."""

    stage: Stage
    sentence: str
    usage: Usage | None = None
    step: Step | None = None


@dataclass(frozen=True, slots=True)
class CheckedPackage:
    """A package that has passed all stages."""

    hash: str
    manifest: Manifest


async def check_package(
    packed: bytes,
    control: TimeControl,
    policy: Policy,
    report: Callable[[Progress], None] = lambda _progress: None,
    log: Path | None = None,
    runtimes: RuntimesSettings = AS_INSTALLED,
) -> CheckedPackage:
    """Take a package through all stages in a temporary folder; raises UsageError where one fails.

    The output of the build is appended to ``log``. ``runtimes`` are those of the organiser.
    """
    with tempfile.TemporaryDirectory(prefix="highstreet-") as name:
        folder = Path(name)
        unpack(packed, folder / "package")
        manifest = read_manifest(folder / "package")
        report(Progress(Stage.UNPACKED, f"{manifest.name}, {len(packed):,} bytes packed"))
        if manifest.transport is not Transport.PIPE:
            raise PackageError(
                f'the sandbox runs bots over pipes only: write transport = "pipe" in {MANIFEST}.'
            )
        runtime = find_runtime(manifest.runtime, runtimes)
        built = folder / "built"
        usage = await build(
            folder / "package", manifest.build, runtime, built, log or folder / "build.log"
        )
        report(Progress(Stage.BUILT, _built(usage), usage))
        command = bot_command(manifest, built, runtime)
        for game in manifest.games:
            config = CheckConfig(find_game(game), control, policy)
            await _check(command, manifest.transport, config, report)
    return CheckedPackage(package_hash(packed), manifest)


async def _check(
    command: BotCommand,
    transport: Transport,
    config: CheckConfig,
    report: Callable[[Progress], None],
) -> None:
    """Check a bot at one game; raises PackageError if a step fails."""
    game = config.game.spec.name
    with tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
        async with CheckBench(command, transport, game, Path(folder)) as bench:

            def show(step: Step) -> None:
                report(Progress(Stage.CHECKED, game, step=step))

            steps = await BotCheck(bench, config, show).run()
    failed = [step.name for step in steps if step.status is StepStatus.FAILED]
    if failed:
        raise PackageError(f"the check of {game} failed: {', '.join(failed)}.")


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a package; raises SettingsFileError."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PackageError(f"cannot read {MANIFEST}: {error}.") from None
    return parse_manifest(text, MANIFEST)


def bot_command(manifest: Manifest, built: Path, runtime: Runtime) -> BotCommand:
    """Return the command of a bot in the sandbox; it sees its own folder and its runtime."""
    settings = SandboxSettings(SandboxKind.BUBBLEWRAP, runtime, (Mount(built, PACKAGE),))
    return BotCommand(manifest.run, PACKAGE, sandbox=settings)


def _built(usage: Usage | None) -> str:
    if usage is None:
        return "there is no build command"
    return f"{usage.cpu_seconds:.1f} s of CPU time"
