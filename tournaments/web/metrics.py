"""Figures for Prometheus: what the host has done, and what readers have asked for."""

from __future__ import annotations

from collections.abc import Iterable
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

from referee import Fault
from tournaments.web.hosts import Host

SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 10.0)


class WebFigures:
    """What readers have asked for."""

    def __init__(self, host: Host) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(HostCollector(host))
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
        self.onlookers = Gauge(
            "highstreet_web_onlookers", "Open streams of events.", registry=self.registry
        )

    def answered(self, scope: Scope, status: int, seconds: float) -> None:
        """Count an answer; pages are known by what makes them, so that there are few."""
        page = getattr(scope.get("endpoint"), "__name__", "none")
        self._requests.labels(page, str(status)).inc()
        if page != "events":
            self._seconds.labels(page).observe(seconds)


class HostCollector(Collector):
    """Asks the host whenever somebody looks."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def collect(self) -> Iterable[Metric]:
        """Return all figures of the host."""
        host, figures = self._host, self._host.figures
        yield CounterMetricFamily(
            "highstreet_matches", "Matches that were played.", value=figures.matches
        )
        yield CounterMetricFamily(
            "highstreet_void_matches", "Matches that were void.", value=figures.void
        )
        yield CounterMetricFamily(
            "highstreet_decisions", "Decisions that were made.", value=figures.decisions
        )
        yield HistogramMetricFamily(
            "highstreet_decision_seconds",
            "Time that bots took for the decisions they were asked for, as their clocks saw it.",
            buckets=[(_bound(most), number) for most, number in figures.thought.up_to()],
            sum_value=figures.thought.total,
        )
        strikes = CounterMetricFamily(
            "highstreet_strikes",
            "Moves that were played for a bot, by its fault.",
            labels=["fault"],
        )
        for fault in Fault:
            strikes.add_metric([str(fault)], figures.strikes[fault])
        yield strikes
        forfeits = CounterMetricFamily(
            "highstreet_faults", "Faults that cost a seat or a match, by kind.", labels=["fault"]
        )
        for fault in Fault:
            forfeits.add_metric([str(fault)], figures.faults[fault])
        yield forfeits
        yield CounterMetricFamily(
            "highstreet_time_outs",
            "Answers that did not come in time, whether they cost a strike or the seat.",
            value=figures.strikes[Fault.TIME_OUT] + figures.faults[Fault.TIME_OUT],
        )
        yield CounterMetricFamily(
            "highstreet_loop_lag_seconds", "How late the event loop has been.", value=host.lag
        )
        yield GaugeMetricFamily(
            "highstreet_tables", "Matches that are being played.", value=host.tables
        )
        yield GaugeMetricFamily(
            "highstreet_connections", "Bots that are connected.", value=host.connected
        )


def _bound(most: float) -> str:
    """Write the upper bound of a bucket as Prometheus has it."""
    return "+Inf" if most == inf else str(most)
