"""Figures for Prometheus: what the host has counted, by the names that the documents have."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families as parsed

from tests.tournaments.serving import TWO, league_server, run, until
from tests.tournaments.web.leagues_with_matches import Reader, Street, ask
from tournaments.runner.league_context import Histogram
from tournaments.web.metrics import WebMetrics


def test_health_and_metrics(street: Street) -> None:
    async def test(reader: Reader) -> None:
        assert (await reader.json("/healthz")) == {"state": "ok"}
        figures = reader.host.figures
        figures.decisions, figures.matches = 120, 2
        figures.faults.update(["time_out", "time_out", "crash"])
        figures.strikes.update(["time_out"] * 3 + ["malformed"])
        await reader.get("/leagues/autumn")
        await reader.get("/static/site.css")
        await reader.get("/nothing", 404)
        text = (await reader.get("/metrics")).text
        for line in (
            "highstreet_decisions_total 120.0",
            "highstreet_matches_total 2.0",
            'highstreet_faults_total{fault="time_out"} 2.0',
            'highstreet_faults_total{fault="crash"} 1.0',
            'highstreet_strikes_total{fault="time_out"} 3.0',
            'highstreet_strikes_total{fault="malformed"} 1.0',
            'highstreet_strikes_total{fault="crash"} 0.0',
            "highstreet_connections 0.0",
            'highstreet_web_requests_total{page="league",status="200"} 1.0',
            'highstreet_web_requests_total{page="static",status="200"} 1.0',
            'highstreet_web_requests_total{page="none",status="404"} 1.0',
            'highstreet_web_request_seconds_count{page="league"} 1.0',
        ):
            assert line in text.splitlines(), line

    ask(street, test)


def test_a_time_out_counts_whether_it_costs_a_strike_or_the_seat(street: Street) -> None:
    async def test(reader: Reader) -> None:
        figures = reader.host.figures
        figures.faults.update(["time_out", "disconnect"])
        figures.strikes.update({"time_out": 3, "malformed": 5})
        text = (await reader.get("/metrics")).text
        assert "highstreet_time_outs_total 4.0" in text.splitlines()

    ask(street, test)


def test_decisions_have_a_histogram(street: Street) -> None:
    async def test(reader: Reader) -> None:
        for seconds in (0.0005, 0.01, 0.0101, 1.5, 60):
            reader.host.figures.thought.add(seconds)
        text = (await reader.get("/metrics")).text
        (family,) = [each for each in parsed(text) if each.name == "highstreet_decision_seconds"]
        assert family.type == "histogram"
        counted = {each.labels.get("le", each.name): each.value for each in family.samples}
        assert counted["0.001"] == 1
        assert counted["0.01"] == 2  # a bound belongs to what is below it
        assert counted["0.025"] == 3
        assert counted["1.0"] == 3
        assert counted["2.0"] == counted["30.0"] == 4
        assert counted["+Inf"] == counted["highstreet_decision_seconds_count"] == 5
        assert round(counted["highstreet_decision_seconds_sum"], 4) == 61.5206

    ask(street, test)


def test_a_spread_counts_every_value_once() -> None:
    spread = Histogram((1.0, 2.0))
    for value in (0, 1, 1.5, 2, 3, 4):
        spread.add(value)
    assert spread.counts == [2, 2, 2]
    assert [number for _, number in spread.up_to()] == [2, 4, 6]
    assert spread.total == 11.5


def test_a_bot_that_is_too_slow_is_counted(tmp_path: Path) -> None:
    """A real match against a bot that says nothing: its strikes, its forfeit, and its time."""
    control = replace(
        TWO.time_control,
        per_move=timedelta(seconds=0.2),
        start_up=timedelta(0),
        latency=timedelta(0),
    )
    settings = replace(TWO, time_control=control, policy=replace(TWO.policy, strikes=2))

    async def test() -> None:
        async with league_server(f"sqlite:///{tmp_path / 'league.db'}") as running:
            running.begin("silent", "silent too", settings=settings)
            await running.open()
            host = running.server.manager
            bots = [await running.join(name) for name in ("silent", "silent too")]

            async def counted() -> bool:
                return host.figures.matches > 0

            await until(counted, "a match is played")
            figures = host.figures
            # Each of the two loses its seat with the third of its time-outs, if it gets so far.
            assert figures.faults["time_out"] >= 1
            assert figures.strikes["time_out"] >= 2 * figures.faults["time_out"]
            text = generate_latest(WebMetrics(host).registry).decode()
            (family,) = [each for each in parsed(text) if each.name == "highstreet_time_outs"]
            total = family.samples[0].value
            assert total == figures.strikes["time_out"] + figures.faults["time_out"]
            # Nobody ever answered: whatever was asked took all of its time.
            up_to = dict(figures.thought.up_to())
            assert up_to[0.1] == 0
            assert up_to[float("inf")] == total
            for bot in bots:
                await bot.cut()

    run(test)
