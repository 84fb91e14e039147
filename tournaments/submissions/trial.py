"""What happens to a package before it plays: unpacked, built, checked and tried."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from engine import AnyGame, Options, Seat, UsageError, find_game, seed_from_text
from referee.devkit import BotCheck, CheckBench, CheckConfig, Step, StepStatus, random_player
from referee.match import LagMeter, Match, MatchPlan, MatchResult, Player
from referee.model import BotCommand, BotSpec, ClockKind, Policy, TimeControl
from referee.sandbox import BotProcess, Usage, combined
from referee.transports import BotLauncher
from tournaments.model import LeagueSettings, Manifest, Stage, StageReport
from tournaments.submissions.archive import PackageError
from tournaments.submissions.cache import PackageCache, UnpackedPackage
from tournaments.submissions.package import bot_command

LONGEST_LOG: Final = 256 * 1024
"""The last bytes of a log that are read."""
OPPONENT: Final = "random"
CHECK_SECONDS: Final = 300.0
"""How long the check of one game may take."""
MATCH_SECONDS: Final = 300.0
"""How long a trial match may take, unless MATCH_DECISIONS decisions may take longer."""
MATCH_DECISIONS: Final = 100
LONGEST_STAGE: Final = 3600.0
"""How many seconds a stage may take at all."""


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """What a package is checked for: the tables of its trial matches, and their limits."""

    tables: Sequence[tuple[AnyGame, Options]]
    control: TimeControl
    policy: Policy
    not_played: Sequence[str] = ()
    """The games that the package claims and the league does not play."""
    longest: float = LONGEST_STAGE
    """How many seconds a stage may take at most."""

    @classmethod
    def of_league(cls, settings: LeagueSettings, manifest: Manifest) -> TrialPlan:
        """Return a plan with every variant and every size of table of a league.

        Raises InvalidError for a bot that plays none of its games.
        """
        settings.refuse_other_games(manifest.name, manifest.games)
        tables = [
            (each.rules, each.options_of(variant, seats))
            for each in settings.games
            if each.game in manifest.games
            for variant in each.variants
            for seats in each.table_sizes
        ]
        played = [each.game for each in settings.games]
        others = tuple(game for game in manifest.games if game not in played)
        return cls(tables, settings.time_control_of(hosted=True), settings.policy, others)

    @classmethod
    def of_games(cls, games: Sequence[str], control: TimeControl, policy: Policy) -> TrialPlan:
        """Return a plan for every game of a list, with the fewest and the most seats.

        It has the CPU clock, as leagues by default.
        """
        found = map(find_game, games)
        tables = [
            (game, game.spec.options(seats))
            for game in found
            for seats in dict.fromkeys((min(game.spec.seats), max(game.spec.seats)))
        ]
        return cls(tables, replace(control, clock=ClockKind.CPU), policy)

    def games(self) -> list[AnyGame]:
        """Return the games of the tables, each once."""
        return list({game.spec.name: game for game, _ in self.tables}.values())

    @property
    def check_seconds(self) -> float:
        """How long the check of all games may take."""
        return min(self.longest, CHECK_SECONDS * len(self.games()))

    @property
    def trial_seconds(self) -> float:
        """How long all trial matches may take."""
        control = self.control
        thinking = control.start_up + control.bank + MATCH_DECISIONS * control.per_move
        match = max(MATCH_SECONDS, thinking.total_seconds())
        return min(self.longest, match * len(self.tables))


class StageError(UsageError):
    """A stage that a package did not pass; the report has its log."""

    def __init__(self, report: StageReport) -> None:
        super().__init__(report.sentence)
        self.report = report


@dataclass
class _StageLog:
    """What a stage adds to its report."""

    stage: Stage
    sentence: str = ""
    lines: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    """Files whose last lines belong to the log."""
    usage: Usage | None = None
    began: float = field(default_factory=time.perf_counter)

    def used(self, usage: Usage) -> None:
        """Add what a process of the bot used."""
        self.usage = combined([*filter(None, [self.usage]), usage])

    def report(self, problem: UsageError | None) -> StageReport:
        """Return the report of a stage that ended, with its problem."""
        log = "\n".join([*self.lines, *map(_tail, self.files)]).strip()
        usage = self.usage or Usage(0.0, 0, 0)
        return StageReport(
            self.stage,
            problem is None,
            self.sentence if problem is None else str(problem),
            log,
            time.perf_counter() - self.began,
            usage.cpu_seconds,
            usage.peak_memory_bytes,
        )


@contextlib.asynccontextmanager
async def at_once(_memory_bytes: int) -> AsyncIterator[None]:
    """Wait for nothing."""
    yield


Room = Callable[[int], contextlib.AbstractAsyncContextManager[None]]
"""Waits until the machine has room for a number of bytes, and holds it in its context."""
Report = Callable[[StageReport], None]
ReportStep = Callable[[str, Step], None]
"""Called for each step of the check of a game."""


class PackageTrial:
    """Takes one package through the stages after it was received."""

    def __init__(
        self,
        cache: PackageCache,
        report: Report = lambda _report: None,
        report_step: ReportStep = lambda _game, _step: None,
        room: Room = at_once,
    ) -> None:
        """Take the cache, and where to report; ``room`` is entered before anything is run."""
        self._cache = cache
        self._report = report
        self._report_step = report_step
        self._room = room

    async def run(self, packed: bytes, plan: Callable[[Manifest], TrialPlan]) -> Manifest:
        """Take a package through all stages; raises StageError at the first that it fails.

        A built package that passes stays in the cache.
        """
        with tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
            async with contextlib.AsyncExitStack() as stack:
                with self._stage(Stage.UNPACKED) as stage:
                    package = await stack.enter_async_context(self._cache.unpacked(packed))
                    stage.sentence = f"{package.manifest.name}, {len(packed):,} bytes packed"
                async with self._room(package.build_memory):
                    await self._build(package, Path(folder) / "build.log")
                chosen = plan(package.manifest)
                runtimes = self._cache.runtimes
                command = await asyncio.to_thread(
                    bot_command, package.manifest, package.built, runtimes
                )
                memory = command.sandbox.limits.memory_bytes
                async with self._room(memory):
                    await self._check(package.manifest, command, chosen)
                async with self._room(memory):
                    await self._try(package.manifest, command, chosen, Path(folder))
                await asyncio.to_thread(package.keep)
        return package.manifest

    @contextlib.contextmanager
    def _stage(self, stage: Stage) -> Iterator[_StageLog]:
        """Report how a stage ended; raises StageError if it failed."""
        log = _StageLog(stage)
        try:
            yield log
        except UsageError as error:
            failed = log.report(error)
            self._report(failed)
            raise StageError(failed) from None
        self._report(log.report(None))

    async def _build(self, package: UnpackedPackage, log: Path) -> None:
        with self._stage(Stage.BUILT) as stage:
            stage.files.append(log)
            stage.usage = await package.build(log, keep=False)
            stage.sentence = "there is no build command"
            if package.manifest.build:
                used = stage.usage
                stage.sentence = f"{used.cpu_seconds:.1f} s of CPU time" if used else "built before"

    async def _check(self, manifest: Manifest, command: BotCommand, plan: TrialPlan) -> None:
        with self._stage(Stage.CHECKED) as stage:
            await _within(plan.check_seconds, self._check_games(manifest, command, plan, stage))

    async def _check_games(
        self, manifest: Manifest, command: BotCommand, plan: TrialPlan, stage: _StageLog
    ) -> None:
        names: list[str] = []
        for game in plan.games():
            config = CheckConfig(game, plan.control, plan.policy)
            if names:  # the same program ran at the game before
                config = replace(config, settle_seconds=0.0)
            await self._check_game(manifest, command, config, stage)
            names.append(game.spec.name)
        stage.sentence = f"keeps the protocol at {', '.join(names)}"
        if plan.not_played:
            stage.sentence += f"; the league does not play {', '.join(plan.not_played)}"

    async def _check_game(
        self, manifest: Manifest, command: BotCommand, config: CheckConfig, stage: _StageLog
    ) -> None:
        game = config.game.spec.name
        with tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
            async with CheckBench(command, manifest.transport, game, Path(folder)) as bench:

                def show(step: Step) -> None:
                    stage.lines += [f"{game}: {step.name}: {step.summary}", *step.details]
                    self._report_step(game, step)

                try:
                    steps = await BotCheck(bench, config, show).run()
                except asyncio.CancelledError:  # it takes too long
                    stage.lines += _tails(Path(folder))
                    raise
                finally:
                    stage.used(bench.usage)
            if failed := [step.name for step in steps if step.status is StepStatus.FAILED]:
                stage.lines += _tails(Path(folder))
                raise PackageError(f"the check of {game} failed: {', '.join(failed)}.")

    async def _try(
        self, manifest: Manifest, command: BotCommand, plan: TrialPlan, folder: Path
    ) -> None:
        with self._stage(Stage.TRIED) as stage:
            matches = self._play(manifest, command, plan, folder, stage)
            await _within(plan.trial_seconds, matches)

    async def _play(
        self,
        manifest: Manifest,
        command: BotCommand,
        plan: TrialPlan,
        folder: Path,
        stage: _StageLog,
    ) -> None:
        for game, options in plan.tables:
            spec = BotSpec(manifest.name, manifest.transport, command)
            stage.files = [folder / f"{manifest.name}.stderr.log"]
            match = TrialMatch(spec, game, options, plan)
            result = await match.play(folder, stage.used)
            variant = game.spec.variant_name(options)
            played = game.spec.name if variant == "plain" else f"{game.spec.name} {variant}"
            line = f"{played}, {options.seats} seats: {_score(result)}"
            stage.lines.append(line)
            if Seat(0) in result.forfeits:
                why = next(each.detail for each in result.causes if each.seat == Seat(0))
                raise PackageError(f"it forfeited the trial match of {played}: {why}")
        matches = "1 match" if len(plan.tables) == 1 else f"{len(plan.tables)} matches"
        stage.sentence = f"{matches} against {OPPONENT}"


@dataclass(frozen=True, slots=True)
class TrialMatch:
    """A match of a bot at seat 0 against random players."""

    spec: BotSpec
    game: AnyGame
    options: Options
    plan: TrialPlan

    async def play(
        self, logs: Path, report: Callable[[Usage], None] = lambda _usage: None
    ) -> MatchResult:
        """Play it, and report what the bot used; raises UsageError if it cannot be started."""
        seed = seed_from_text(str(secrets.randbits(64)))
        others = [OPPONENT] * (self.options.seats - 1)
        match = MatchPlan(
            "trial",
            self.game,
            self.options,
            seed,
            secrets.token_bytes(16),
            (self.spec.name, *others),
            self.plan.control,
            self.plan.policy,
        )
        lag = LagMeter()
        bot = await BotLauncher(None, logs).launch(self.spec)
        try:
            players: list[Player] = [random_player(1, seat) for seat in range(self.options.seats)]
            players[0] = bot.player()
            try:
                return await Match(match, players, lag).play()
            finally:
                process = players[0].inbox.sandbox
                if isinstance(process, BotProcess):
                    report(process.usage())
        finally:
            lag.stop()
            await bot.close()


async def _within(seconds: float, stage: Awaitable[None]) -> None:
    """Wait for a stage; raises PackageError if it takes longer, and then it is cancelled."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            await stage
    except TimeoutError:
        if not limit.expired():
            raise
        raise PackageError(f"the stage took more than {seconds:.0f} seconds.") from None


def _score(result: MatchResult) -> str:
    return f"place {result.places[0]}, scores {' '.join(map(str, result.scores))}"


def _tails(folder: Path) -> list[str]:
    """Return the ends of all logs in a folder."""
    return [_tail(path) for path in sorted(folder.iterdir())]


def _tail(path: Path) -> str:
    """Return the end of a log, as text."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - LONGEST_LOG))
        return file.read().decode(errors="replace")
