"""Metrics for Prometheus: what the league server has done, and the requests for pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from starlette.types import Scope

from referee.model import Fault
from tournaments.runner import LeagueManager

SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 10.0)


class WebMetrics:
    """Counts the requests for pages, beside the metrics of the league server."""

    def __init__(self, leagues: LeagueManager) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(LeagueCollector(leagues))
        self._requests = Counter(
            "highstreet_web_requests",
            "Requests that were answered.",
            ["page", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "highstreet_web_request_seconds",
            "How long answers took; streams of events are left out.",
            ["page"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.refused = Counter(
            "highstreet_web_refused",
            "Requests of addresses that asked for too much.",
            registry=self.registry,
        )
        self.open_streams = Gauge(
            "highstreet_web_onlookers", "Open streams of events.", registry=self.registry
        )

    def count_response(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a response by the name of its endpoint, of which there are few."""
        endpoint = scope.get("endpoint")
        # The only endpoint that is no function serves the static files.
        page = "none" if endpoint is None else getattr(endpoint, "__name__", "static")
        self._requests.labels(page, str(status)).inc()
        if page != "events":
            self._seconds.labels(page).observe(seconds)


class LeagueCollector(Collector):
    """Reads the statistics of the league server whenever metrics are requested."""

    def __init__(self, leagues: LeagueManager) -> None:
        self._leagues = leagues

    def collect(self) -> Iterable[Metric]:
        """Yield all metrics of the league server."""
        leagues, figures = self._leagues, self._leagues.figures
        strikes, faults, thought = figures.strikes, figures.faults, figures.thought
        time_outs = strikes[Fault.TIME_OUT] + faults[Fault.TIME_OUT]
        for name, text, value in (
            ("matches", "Matches that were played.", figures.matches),
            ("void_matches", "Matches that were void.", figures.void),
            ("decisions", "Decisions that were made.", figures.decisions),
            ("time_outs", "Late answers, whether they cost a strike or the seat.", time_outs),
            ("loop_lag_seconds", "How late the event loop has been.", leagues.lag),
            ("download_cpu_seconds", "CPU time of record downloads.", leagues.pace.seconds),
        ):
            yield CounterMetricFamily(f"highstreet_{name}", text, value=value)
        yield _by_fault("strikes", "Moves that were played for a bot, by its fault.", strikes)
        yield _by_fault("faults", "Faults that cost a seat or a match, by kind.", faults)
        yield HistogramMetricFamily(
            "highstreet_decision_seconds",
            "Time that bots took for the decisions they were asked for, as their clocks saw it.",
            buckets=[(_bound(most), number) for most, number in thought.up_to()],
            sum_value=thought.total,
        )
        for name, text, value in (
            ("tables", "Matches that are being played.", leagues.tables),
            ("connections", "Bots that are connected.", leagues.connected),
        ):
            yield GaugeMetricFamily(f"highstreet_{name}", text, value=value)


def _bound(most: float) -> str:
    """Write the upper bound of a bucket as Prometheus does."""
    return "+Inf" if most == inf else str(most)


def _by_fault(name: str, text: str, counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(f"highstreet_{name}", text, labels=["fault"])
    for fault in Fault:
        family.add_metric([str(fault)], counts[fault])
    return family
