"""``highstreet runtimes``: the runtimes of this machine."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import click

from engine import UsageError
from referee.model import SYSTEM, Policy, Runtime, TimeControl
from referee.runtime import run_async
from sample_bots.languages import Language, templates
from sample_bots.projects import write_template
from tournaments.cli.files import exit_when_interrupted
from tournaments.cli.options import runtimes_option
from tournaments.model import Manifest, RuntimesSettings
from tournaments.submissions import (
    PackageCache,
    PackageTrial,
    TrialPlan,
    installed_runtimes,
    pack,
)


@click.command("runtimes")
@runtimes_option
@click.option("--test", is_flag=True, help="Build and check the template of each in the sandbox.")
def command(*, test: bool, runtimes: RuntimesSettings) -> None:
    """List the runtimes of this machine that a package can ask for.

    A bot sees the system's own programs and libraries, and the folders that are listed. With --test
    the template of `highstreet new-bot` for each runtime is built and checked at every game, as
    `highstreet bot check` does; the exit code is 1 if a runtime that is installed fails.

    \b
    Examples:
      highstreet runtimes
      highstreet runtimes --config server.toml --test
    """  # noqa: D301  click's mark for "keep the lines"
    bots = {language.runtime: language for language in templates().values()}
    failed = False
    for name, runtime in installed_runtimes(runtimes).items():
        if isinstance(runtime, str):
            click.echo(f"{name:<12}{runtime}")
            continue
        click.echo(f"{name:<12}{_folders(runtime)}", nl=not test)
        if test:
            passed, sentence = _test(bots.get(name), runtimes)
            click.echo(f": {sentence}")
            failed |= not passed
    raise click.exceptions.Exit(int(failed))


def _folders(runtime: Runtime) -> str:
    folders = [str(path) for path in runtime.paths if path not in SYSTEM.paths]
    return ", ".join(folders) or "the system"


def _plan(manifest: Manifest) -> TrialPlan:
    return TrialPlan.of_games(manifest.games, TimeControl(), Policy())


def _test(language: Language | None, settings: RuntimesSettings) -> tuple[bool, str]:
    """Check the template of a runtime; return whether it passes, and a sentence."""
    if language is None:
        return True, "not tested, it has no template"
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="highstreet-") as name, exit_when_interrupted():
        folder = Path(name) / "bot"
        write_template(language, folder, "template")
        try:
            trial = PackageTrial(PackageCache(Path(name) / "cache", settings))
            run_async(trial.run(pack(folder), _plan))
        except UsageError as error:
            return False, f"FAILED, {error}"
    return True, f"passed in {time.monotonic() - start:.1f} s"
