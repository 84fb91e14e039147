"""The matches of a check: the bot under test against random players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from engine import AnyGame, Options, Seat, seed_from_text
from referee.devkit.midgame import midgame_positions
from referee.devkit.observations import Observations
from referee.devkit.probe import CheckBench, Probe
from referee.devkit.random_play import chooser
from referee.devkit.recording_player import ProbeSettings, RecordingPlayer
from referee.match import LagMeter, Match, MatchPlan, Player, Question
from referee.model import Policy, TimeControl
from referee.transports import BotProcess, InProcessPlayer

SALT: Final = bytes(16)
FIRST: Final = Seat(0)


@dataclass(frozen=True, slots=True)
class CheckConfig:
    """The game and the time limits of a check."""

    game: AnyGame
    control: TimeControl
    policy: Policy
    settle_seconds: float = 1.0
    """A process that runs for this long has started."""
    join_seconds: float = 30.0
    leave_seconds: float = 5.0
    return_seconds: float = 15.0
    """How long a bot may take to reconnect."""
    grace_seconds: float = 2.0
    """How long after its deadline an answer counts as late, and not as missing."""
    thinking_seconds: float = 15.0
    """When a bot has used this much time in a match, the rest is played for it."""
    matches_in_a_row: int = 3

    def settings(self, process: BotProcess, max_answers: int | None) -> ProbeSettings:
        """Return the settings of one match of a process."""
        return ProbeSettings(
            self.control,
            self.game.decision_kind,
            timedelta(seconds=self.grace_seconds),
            timedelta(seconds=self.thinking_seconds),
            process.cpu_seconds,
            max_answers,
        )


MakePlayer = Callable[[Player, Observations, ProbeSettings, LagMeter], RecordingPlayer]


class CheckMatches:
    """Plays matches with the bot under test, and restarts it when needed."""

    def __init__(self, bench: CheckBench, config: CheckConfig, observations: Observations) -> None:
        self._bench = bench
        self._config = config
        self._observations = observations
        self._lag = LagMeter()
        self._restart_each_time = False
        """Whether the bot has to be restarted for each match."""
        self.probe: Probe | None = None
        self.count = 0

    def close(self) -> None:
        """Stop measuring event-loop lag."""
        self._lag.stop()

    async def start(self) -> Probe:
        """Start the bot; raises BotStartError."""
        self.probe = await self._bench.start()
        return self.probe

    async def ready_probe(self) -> Probe:
        """Return the bot, ready to play; restart it if it has ended or disconnected."""
        if self.probe is not None:
            worn_out = self._restart_each_time and self.probe.matches > 0
            if self.probe.absence is None and not worn_out:
                return self.probe
            await self.probe.close()
        probe = await self.start()
        await probe.join(self._config.join_seconds)
        return probe

    async def play(
        self,
        options: Options,
        seat: Seat = FIRST,
        *,
        game: AnyGame | None = None,
        make: MakePlayer = RecordingPlayer,
        max_answers: int | None = None,
    ) -> RecordingPlayer:
        """Play a match; a bot that cannot play two in one process is restarted for it."""
        probe = await self.ready_probe()
        first = not probe.matches
        player = await self.play_with(probe, options, seat, game, make, max_answers)
        if first or player.answers or player.gone is None:
            return player
        self._restart_each_time = True
        observations = self._observations
        observations.asked = [asked for asked in observations.asked if asked not in player.asked]
        probe = await self.ready_probe()
        return await self.play_with(probe, options, seat, game, make, max_answers)

    async def play_with(
        self,
        probe: Probe,
        options: Options,
        seat: Seat = FIRST,
        game: AnyGame | None = None,
        make: MakePlayer = RecordingPlayer,
        max_answers: int | None = None,
    ) -> RecordingPlayer:
        """Play one match of this process against random players."""
        self.count += 1
        probe.matches += 1
        settings = self._config.settings(probe.process, max_answers)
        player = make(probe.player(), self._observations, settings, self._lag)
        players: list[Player] = [random_player(self.count, i) for i in range(options.seats)]
        players[seat] = player
        names = ["you" if i == seat else f"random-{i}" for i in range(options.seats)]
        plan = MatchPlan(
            f"check-{self.count}",
            game or self._config.game,
            options,
            seed_from_text(str(self.count)),
            SALT,
            tuple(names),
            settings.match_control(),
            self._config.policy,
        )
        await Match(plan, players, self._lag).play()
        probe.process.usage()  # which keeps the most memory
        if player.gone is not None:
            player.asked[-1].errors = probe.errors
        return player

    async def ask_missing_kinds(self) -> None:
        """Ask the kinds of decisions that have not occurred, from positions of random games."""
        game = self._config.game
        positions = midgame_positions(game)
        for kind in game.spec.decision_kinds:
            position = positions.get(kind)
            if position is not None and all(kind != d.kind for d in self._observations.asked):
                start = position.as_game(game)
                await self.play(position.options, position.seat, game=start, max_answers=4)


def random_player(match: int, seat: int) -> InProcessPlayer:
    """Return a player of random moves, the same for the same match and seat."""
    choose = chooser(seed_from_text(str(match * 10 + seat)))

    def answer(question: Question) -> Any:
        return choose(question.legal)

    return InProcessPlayer(answer)
