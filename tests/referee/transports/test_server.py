"""Bots over real TCP: joining, playing, coming back, and everything that is refused."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import sys
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from highstreet.v1 import play_pb2 as pb

from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import Question
from referee.match.result import MatchResult
from referee.model.bot import BotSpec, Transport
from referee.model.clock import TimeControl
from referee.model.policy import Cause, Policy, Reaction
from referee.record.verify import verify_record
from referee.transports.bot import BotLauncher
from referee.transports.certificates import self_signed
from referee.transports.grpc_connection import Limits
from referee.transports.grpc_server import RefereeServer, Tls
from referee.transports.grpc_session import GrpcPlayer, Session
from referee.transports.in_process import InProcessPlayer
from tests.referee.dialling import Dialler, plan, referee, run
from tests.waiting import PATIENCE, until


def first_legal() -> InProcessPlayer:
    return InProcessPlayer(lambda question: question.legal[0])


async def seated(server: RefereeServer, name: str = "ann") -> tuple[Dialler, Session, str]:
    """Let a bot join, and return it with its session and its token."""
    token = server.tokens.issue(name)
    bot = Dialler(server.address)
    await bot.join(token)
    return bot, await server.wait_for_bot(name), token


async def is_cut_off(session: Session) -> None:
    """Wait until the server has noticed that a bot is gone."""
    await until(lambda: not session.connected)


def match_of(
    session: Session,
    control: TimeControl | None = None,
    policy: Policy | None = None,
    *,
    recipes: bool = False,
) -> asyncio.Task[MatchResult]:
    """Begin a match of a session against a player of our own."""

    async def play() -> MatchResult:
        lag = LagMeter()
        try:
            made = plan("ann", "home", control=control, policy=policy, recipes=recipes)
            return await Match(made, [GrpcPlayer(session), first_legal()], lag).play()
        finally:
            lag.stop()

    return asyncio.create_task(play())


def test_a_bot_joins_plays_and_leaves() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, _ = await seated(server)
            playing = match_of(session, recipes=True)
            started = await bot.hear_kind("match_started")
            assert (started.game, started.seat, started.match) == ("glastonbury", 0, "match-1")
            assert [seat.entrant for seat in started.seats] == ["ann", "home"]
            assert started.glastonbury.recipes
            ended = await bot.play()
            result = await playing
            assert list(ended.places) == list(result.places)
            assert list(ended.scores) == list(result.scores)
            assert ended.seed == f"{1:064x}"
            assert not result.causes
            verify_record(result.record)
            await bot.say(pb.PlayRequest(leave=pb.Leave()))
            assert (await bot.hear_kind("goodbye")).reason == "you asked to leave"
            assert await bot.end_status() == (grpc.StatusCode.OK, "")

    run(test)


def test_a_seed_that_will_be_played_again_is_not_told() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, _ = await seated(server)
            lag = LagMeter()
            secret = replace(plan("ann", "home"), reveal_seed=False)
            table = Match(secret, [GrpcPlayer(session), first_legal()], lag)
            playing = asyncio.create_task(table.play())
            assert (await bot.play()).seed == ""
            await playing
            lag.stop()

    run(test)


def test_the_seed_of_a_void_match_is_not_told() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, _ = await seated(server)
            lag = LagMeter()
            table = Match(plan("ann", "home"), [GrpcPlayer(session), first_legal()], lag)
            playing = asyncio.create_task(table.play())
            while (await bot.hear()).WhichOneof("message") != "decision":
                pass
            table.stop(Cause.REFEREE, "the tournament was stopped")
            ended = (await bot.hear()).match_ended
            assert (ended.ending, ended.seed) == ("stopped", ""), "it may be dealt again"
            assert (await playing).void
            lag.stop()

    run(test)


def test_a_bot_that_comes_back_gets_its_decision_exactly_as_first_sent() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, token = await seated(server)
            playing = match_of(session)
            await bot.hear_kind("match_started")
            for _ in range(3):
                await bot.submit((await bot.hear()).decision)
            first_sent = await bot.hear_bytes()
            await bot.cut()
            again = Dialler(server.address)
            welcome = (await again.join(token, resume_id=bot.resume_id)).welcome
            assert welcome.resumed
            assert welcome.resume_id == bot.resume_id
            assert await again.hear_bytes() == first_sent
            await again.submit(pb.PlayResponse.FromString(first_sent).decision)
            await again.play()
            result = await playing
            assert not result.forfeits
            assert b"verdicts" not in result.record

    run(test)


def test_a_bot_that_comes_back_is_not_asked_again_what_it_has_answered() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, token = await seated(server)
            lag = LagMeter()
            other = asyncio.Event()

            async def slow(question: Question) -> object:
                await other.wait()
                return question.legal[0]

            made = plan("ann", "home", control=TimeControl(timedelta(seconds=PATIENCE)))
            player = GrpcPlayer(session)
            table = Match(made, [player, InProcessPlayer(slow)], lag)
            playing = asyncio.create_task(table.play())
            await bot.submit(await bot.hear_kind("decision"))
            await until(lambda: player.pending is None)
            await bot.cut()
            again = Dialler(server.address)
            await again.join(token, resume_id=bot.resume_id)
            other.set()
            assert (await again.hear()).decision.decision_id == 3
            playing.cancel()
            await again.cut()
            lag.stop()

    run(test)


def test_a_bot_that_was_cut_off_before_its_first_answer_is_told_of_the_match_again() -> None:
    """What was on its way when the connection was cut may be lost, and a decision is not enough."""

    async def test() -> None:
        async with referee() as server:
            bot, session, token = await seated(server)
            playing = match_of(session)
            started = await bot.hear_bytes()
            asked = await bot.hear_bytes()
            await bot.cut()
            again = Dialler(server.address)
            await again.join(token, resume_id=bot.resume_id)
            assert [await again.hear_bytes(), await again.hear_bytes()] == [started, asked]
            await again.submit(pb.PlayResponse.FromString(asked).decision)
            await again.play()
            assert not (await playing).forfeits

    run(test)


def test_a_bot_that_is_cut_off_between_two_matches_may_come_back_for_the_next() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, token = await seated(server)
            await bot.cut()
            await is_cut_off(session)
            again = Dialler(server.address)
            assert (await again.join(token, resume_id=bot.resume_id)).welcome.resumed
            assert server.sessions == [session]
            playing = match_of(session)
            await again.play()
            assert not (await playing).forfeits

    run(test)


def test_a_message_that_was_never_delivered_is_delivered_when_the_bot_is_back() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, token = await seated(server)
            await bot.cut()
            await is_cut_off(session)
            playing = match_of(session)
            await until(lambda: session.backlog == 2)
            again = Dialler(server.address)
            await again.join(token, resume_id=bot.resume_id)
            assert (await again.hear()).WhichOneof("message") == "match_started"
            assert (await again.hear()).decision.decision_id == 1
            playing.cancel()
            await again.cut()

    run(test)


def test_nobody_else_can_take_a_match_over() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, token = await seated(server)
            playing = match_of(session)
            await bot.hear_kind("match_started")
            decision = (await bot.hear()).decision
            thief = Dialler(server.address)
            await thief.say(
                pb.PlayRequest(join=pb.Join(token=token, protocol_version=1, resume_id="guessed"))
            )
            assert await thief.end_status() == (
                grpc.StatusCode.PERMISSION_DENIED,
                "BAD_RESUME_ID",
            )
            second = Dialler(server.address)
            await second.join(token)
            (thieving,) = [each for each in server.sessions if each is not session]
            stolen = pb.SubmitMove(
                match=decision.match, decision_id=1, move=decision.legal_moves[5]
            )
            await second.say(pb.PlayRequest(submit_move=stolen))
            await until(lambda: thieving.stray_answers == 1)
            await bot.submit(decision)
            await bot.play()
            result = await playing
            first = result.record.splitlines()[2]
            assert b'"move":"take c1"' in first  # the own answer, not the stolen one
            await second.cut()

    run(test)


def test_the_holder_of_the_resume_id_replaces_its_own_old_connection() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, token = await seated(server)
            playing = match_of(session)
            await bot.hear_kind("decision")
            again = Dialler(server.address)
            await again.join(token, resume_id=bot.resume_id)
            assert await bot.end_status() == (grpc.StatusCode.ABORTED, "REPLACED")
            await again.play()
            assert not (await playing).forfeits

    run(test)


@pytest.mark.slow
def test_a_connection_that_stays_cut_is_a_forfeit_of_the_bot() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, _ = await seated(server)
            quick = TimeControl(timedelta(milliseconds=100), start_up=timedelta(0))
            # However late it is cut, it is away when the time of some decision is over.
            playing = match_of(session, quick, Policy(strikes=1000))
            await bot.hear_kind("decision")
            await bot.cut()
            result = await playing
            assert result.forfeits == (0,)
            assert [(c.fault, c.cause) for c in result.causes] == [("disconnect", "bot")]
            assert result.places == (2, 1)
            verify_record(result.record)

    run(test)


def test_an_illegal_move_is_told_and_can_be_mended() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, _ = await seated(server)
            playing = match_of(session)
            decision = await bot.hear_kind("decision")
            wrong = pb.SubmitMove(match=decision.match, decision_id=1)
            wrong.move.glastonbury.take = 7
            await bot.say(pb.PlayRequest(submit_move=wrong))
            rejected = (await bot.hear()).move_rejected
            assert rejected.rule == "glastonbury#5.1"
            assert (rejected.rejections_left, rejected.strikes_left) == (2, 3)
            await bot.say_bytes(b"\xff\xff\xff")
            assert "not a PlayRequest" in (await bot.hear()).move_rejected.message
            await bot.submit(decision)
            await bot.play()
            result = await playing
            assert not result.forfeits
            assert result.record.count(b'"verdicts"') == 1

    run(test)


def test_a_frozen_peer_is_noticed_within_seconds() -> None:
    """Only the keepalive can notice it: the process is stopped, its sockets stay open."""

    async def test() -> None:
        async with referee(Limits(keepalive_seconds=1.0)) as server:
            token = server.tokens.issue("ann")
            script = Path(__file__).parents[3] / "sample_bots" / "python" / "random_bot.py"
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                str(script),
                env={**os.environ, "HIGHSTREET_TARGET": server.address, "HIGHSTREET_TOKEN": token},
            )
            try:
                session = await server.wait_for_bot("ann")
                process.send_signal(signal.SIGSTOP)
                async with asyncio.timeout(30):  # without pings it would be a minute or more
                    await is_cut_off(session)
            finally:
                process.kill()
                await process.wait()

    run(test)


REFUSED = {
    "wrong token": (
        pb.PlayRequest(join=pb.Join(token="nonsense", protocol_version=1)),
        (grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN"),
    ),
    "no join": (
        pb.PlayRequest(leave=pb.Leave()),
        (grpc.StatusCode.FAILED_PRECONDITION, "JOIN_FIRST"),
    ),
    "empty request": (
        pb.PlayRequest(),
        (grpc.StatusCode.FAILED_PRECONDITION, "JOIN_FIRST"),
    ),
}


@pytest.mark.parametrize(("request_", "status"), REFUSED.values(), ids=REFUSED)
def test_a_bad_beginning_is_refused(
    request_: pb.PlayRequest, status: tuple[grpc.StatusCode, str]
) -> None:
    async def test() -> None:
        async with referee() as server:
            server.tokens.issue("ann")
            bot = Dialler(server.address)
            await bot.say(request_)
            assert await bot.end_status() == status

    run(test)


def test_an_old_protocol_is_refused() -> None:
    async def test() -> None:
        async with referee() as server:
            token = server.tokens.issue("ann")
            bot = Dialler(server.address)
            await bot.say(pb.PlayRequest(join=pb.Join(token=token, protocol_version=0)))
            assert await bot.end_status() == (grpc.StatusCode.FAILED_PRECONDITION, "BAD_VERSION")

    run(test)


def test_who_never_joins_is_sent_away() -> None:
    async def test() -> None:
        async with referee(Limits(join_seconds=0.2)) as server:
            bot = Dialler(server.address)
            assert await bot.end_status() == (grpc.StatusCode.DEADLINE_EXCEEDED, "JOIN_TIMEOUT")

    run(test)


def test_a_second_join_ends_the_stream() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, _, token = await seated(server)
            await bot.say(pb.PlayRequest(join=pb.Join(token=token, protocol_version=1)))
            assert await bot.end_status() == (grpc.StatusCode.FAILED_PRECONDITION, "JOINED_TWICE")

    run(test)


def test_an_entrant_has_only_so_many_connections() -> None:
    async def test() -> None:
        async with referee(Limits(connections=2, resume_seconds=0)) as server:
            token = server.tokens.issue("ann")
            bots = [Dialler(server.address) for _ in range(3)]
            for bot in bots[:2]:
                await bot.join(token)
            await bots[2].say(pb.PlayRequest(join=pb.Join(token=token, protocol_version=1)))
            assert await bots[2].end_status() == (
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "TOO_MANY_CONNECTIONS",
            )
            await bots[0].cut()
            await until(lambda: len(server.sessions) == 1)
            another = Dialler(server.address)
            assert (await another.join(token)).HasField("welcome")
            await another.cut()
            await bots[1].cut()

    run(test)


def test_a_message_that_is_too_large_ends_the_stream() -> None:
    async def test() -> None:
        async with referee(Limits(message_bytes=1000)) as server:
            bot, _, _ = await seated(server)
            await bot.say_bytes(b"x" * 2000)
            code, _ = await bot.end_status()
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED

    run(test)


def test_a_flood_that_belongs_to_no_match_ends_the_stream() -> None:
    async def test() -> None:
        async with referee(Limits(messages_per_decision=10)) as server:
            bot, _, _ = await seated(server)
            for _ in range(12):
                await bot.say(pb.PlayRequest(submit_move=pb.SubmitMove(match="none")))
            assert await bot.end_status() == (
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                "TOO_MANY_MESSAGES",
            )

    run(test)


def test_a_flood_within_a_match_is_a_fault_and_nothing_more() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, _ = await seated(server)
            playing = match_of(session, policy=Policy(malformed=Reaction.FORFEIT, strikes=0))
            await bot.hear_kind("decision")
            stale = pb.PlayRequest(submit_move=pb.SubmitMove(match="match-1", decision_id=99))

            async def flood() -> None:
                while True:
                    await bot.say(stale)

            flooding = asyncio.create_task(flood())
            result = await playing
            flooding.cancel()
            assert result.forfeits == (0,)
            assert result.causes[0].fault == "malformed"
            await bot.cut()

    run(test)


def test_a_remote_bot_that_was_started_anew_is_found_again() -> None:
    async def test() -> None:
        async with referee() as server:
            tokens: list[str] = []
            stage = BotLauncher(
                server, announce=lambda _spec, _address, token: tokens.append(token)
            )
            spec = BotSpec("far", Transport.REMOTE)
            bringing = asyncio.create_task(stage.launch(spec))
            await until(lambda: tokens)
            first = Dialler(server.address)
            await first.join(tokens[0])
            bot = await bringing
            assert not bot.disconnected
            await first.cut()
            await until(lambda: bot.disconnected)
            second = Dialler(server.address)
            await second.join(tokens[0])
            again = await stage.wait_for_remote(spec)
            lag = LagMeter()
            table = Match(plan("far", "home"), [again.player(), first_legal()], lag)
            playing = asyncio.create_task(table.play())
            await second.play()
            assert not (await playing).forfeits
            await second.cut()
            lag.stop()

    run(test)


def test_tls_with_a_self_signed_certificate() -> None:
    async def test() -> None:
        certificate, key = self_signed(["localhost", "127.0.0.1"], 1)
        async with referee(tls=Tls(certificate, key)) as server:
            token = server.tokens.issue("ann")
            bot = Dialler(server.address, certificate)
            assert (await bot.join(token)).welcome.entrant == "ann"
            await bot.cut()
            plain = Dialler(server.address)
            with pytest.raises((EOFError, grpc.aio.AioRpcError, asyncio.InvalidStateError)):
                await plain.join(token)

    run(test)


def test_a_unix_socket_serves_too(tmp_path: Path) -> None:
    async def test() -> None:
        path = tmp_path / "referee.sock"
        async with referee(unix=path) as server:
            token = server.tokens.issue("ann")
            bot = Dialler(f"unix:{path}")
            assert (await bot.join(token)).HasField("welcome")
            await bot.cut()

    run(test)


def test_health_and_reflection_are_on() -> None:
    async def test() -> None:
        async with referee() as server, grpc.aio.insecure_channel(server.address) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            checked = await health.Check(
                health_pb2.HealthCheckRequest(service="highstreet.v1.PlayService")
            )
            assert checked.status == health_pb2.HealthCheckResponse.SERVING
            reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
            call = reflection.ServerReflectionInfo()
            await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
            listed = (await call.read()).list_services_response.service
            assert "highstreet.v1.PlayService" in {service.name for service in listed}
            call.cancel()

    run(test)


def test_a_stopping_server_says_goodbye() -> None:
    async def test() -> None:
        async with referee() as server:
            bot, _, _ = await seated(server)
            await server.stop("closing time")
            assert (await bot.hear_kind("goodbye")).reason == "closing time"

    run(test)


def test_tokens_are_kept_as_hashes_only() -> None:
    async def test() -> None:
        async with referee() as server:
            token = server.tokens.issue("ann")
            assert token.encode() not in repr(vars(server)).encode()
            assert server.tokens.holder(token) == "ann"
            assert server.tokens.holder(token[:-1]) is None
            assert len(token) >= 43

    run(test)


def test_who_is_cut_off_in_match_after_match_is_not_kept_for_ever() -> None:
    async def test() -> None:
        async with referee(Limits(resume_seconds=0)) as server:
            token = server.tokens.issue("ann")
            for number in range(3):
                bot = Dialler(server.address)
                await bot.join(token)
                session = await server.wait_for_bot("ann")
                session.attach(f"match-{number}", GrpcPlayer(session))
                await bot.cut()
                await is_cut_off(session)
                session.detach(f"match-{number}")
            assert len(server.sessions) == 1

    run(test)


def test_an_answer_that_waits_for_room_does_not_outlive_its_match() -> None:
    async def test() -> None:
        async with referee() as server:
            bot = Dialler(server.address)
            await bot.join(server.tokens.issue("ann"))
            session = await server.wait_for_bot("ann")
            old, new = GrpcPlayer(session), GrpcPlayer(session)
            session.attach("old", old)
            for _ in range(100):
                await bot.say(pb.PlayRequest(submit_move=pb.SubmitMove(match="old")))
            await until(lambda: old.inbox.full)
            session.detach("old")
            session.attach("new", new)
            await bot.say(pb.PlayRequest(submit_move=pb.SubmitMove(match="new")))
            async with asyncio.timeout(PATIENCE):
                await new.inbox.get(math.inf)
            assert session.stray_answers == 0, "answers that came too late are forgiven in the end"
            session.detach("new")
            await bot.cut()

    run(test)


def test_strangers_who_hang_up_do_not_fill_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    async def test() -> None:
        async with referee() as server:
            converse = server._serve

            async def noted(context: Any) -> None:
                calls["began"] += 1
                try:
                    await converse(context)
                finally:
                    calls["ended"] += 1

            monkeypatch.setattr(server, "_serve", noted)
            strangers = [Dialler(server.address) for _ in range(5)]
            await until(lambda: calls["began"] == 5)
            for stranger in strangers:
                await stranger.cut()
            await until(lambda: calls["ended"] == 5)

    run(test)
    # What gRPC has still to tell the loop of an earlier test is not about strangers.
    about = [record for record in caplog.records if "_handle_events" not in record.getMessage()]
    assert not about


def test_of_several_who_come_back_at_once_one_remains() -> None:
    async def test() -> None:
        async with referee() as server:
            first, session, token = await seated(server)
            others = [Dialler(server.address) for _ in range(5)]
            await asyncio.gather(*(o.join(token, resume_id=first.resume_id) for o in others))
            await until(lambda: [bot.call.done() for bot in (first, *others)].count(False) == 1)
            assert session.connected
            assert server.sessions == [session]
            for bot in others:
                await bot.cut()

    run(test)
