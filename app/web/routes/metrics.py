"""`GET /metrics` for Prometheus: the counts of all processes of this server, and numbers from the database."""

import asyncio
import platform
from collections.abc import Iterator, Sequence
from itertools import accumulate

from fastapi import APIRouter
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from app.access.keys import Scope
from app.results.sql import Census
from app.telemetry.metrics import METRICS, Kind, Meter, cell_index
from app.telemetry.metrics import Metric as Counted
from app.web.access import needs
from app.web.parameters import ResultsInUse
from app.web.problems import ALWAYS, declared

router = APIRouter(tags=["operations"])

_DESCRIBED = {
    "description": "Metrics in Prometheus' text format",
    "content": {"text/plain": {"schema": {"type": "string"}}},
}


@router.get(
    "/metrics",
    dependencies=[needs(Scope.READ)],
    response_class=Response,
    responses={**declared(*ALWAYS), 200: _DESCRIBED},
)
async def metrics(request: Request, results: ResultsInUse) -> Response:
    """Returns the metrics of all processes of this server; Prometheus asks each replica."""
    meter: Meter = request.app.state.meter
    census = await results.census()
    text = await asyncio.to_thread(exposition, meter.all.totals(), census, request.app.version)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4, "Cache-Control": "no-store"})


def exposition(totals: Sequence[float], census: Census | None, version: str) -> bytes:
    """Returns all metrics in the text format of Prometheus; `census` is None while the database is unavailable."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families([*(_counted(metric, totals) for metric in METRICS), *_queried(census, version)]))
    return generate_latest(registry)


class _Families(Collector):
    """Gives a registry these metric families."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Sequence[Metric]:
        """Returns the families."""
        return self._families


def _counted(metric: Counted, totals: Sequence[float]) -> Metric:
    """Returns a metric of `METRICS` with its values."""
    if metric.kind is Kind.BACKLOG:
        start = cell_index(metric.name)
        gauge = GaugeMetricFamily(metric.name, metric.help)
        # The two cells are read one after the other while processes count, so the difference may be below 0.
        gauge.add_metric((), max(0.0, totals[start] - totals[start + 1]))
        return gauge
    if metric.kind is Kind.COUNTER:
        counter = CounterMetricFamily(metric.name, metric.help, labels=metric.labels)
        for values in metric.combinations:
            counter.add_metric(values, totals[cell_index(metric.name, *values)])
        return counter
    start, ends = cell_index(metric.name), [*map(str, metric.bounds), "+Inf"]
    histogram = HistogramMetricFamily(metric.name, metric.help)
    buckets = zip(ends, accumulate(totals[start : start + len(ends)]), strict=True)
    histogram.add_metric((), list(buckets), totals[start + len(ends)])
    return histogram


def _queried(census: Census | None, version: str) -> Iterator[Metric]:
    """Yields the metrics that are not counted; those of the database only while it is available."""
    build = GaugeMetricFamily(
        "bestpair_build_info",
        "Always 1; the version that responds: after an upgrade, it must be the same on all replicas.",
        labels=("version", "python"),
    )
    build.add_metric((version, platform.python_version()), 1)
    yield build
    up = GaugeMetricFamily(
        "bestpair_database_up",
        "1 if the database responds, 0 if not: callers then get 503 and nothing is acknowledged.",
    )
    up.add_metric((), float(census is not None))
    yield up
    if census is not None:
        yield from _of_sessions(census)


def _of_sessions(census: Census) -> Iterator[Metric]:
    sessions = GaugeMetricFamily(
        "bestpair_sessions",
        "Sessions by state and verdict, all of the database: the same from every replica, take the max. Suspended: "
        "an assumption is contradicted, read health in best-pair.",
        labels=("state", "verdict"),
    )
    outstanding = GaugeMetricFamily(
        "bestpair_impressions_outstanding",
        "Impressions handed out whose outcome is not final, all of the database; growing without end: outcomes are "
        "not reported.",
    )
    for group in census.groups:
        sessions.add_metric((group.state, group.verdict), group.sessions)
    outstanding.add_metric((), sum(group.outstanding for group in census.groups))
    yield from (sessions, outstanding)
    if census.progress:
        gap = GaugeMetricFamily(
            "bestpair_session_gap",
            "The best pair so far is proven to be within this of the best (with BESTPAIR_METRICS_PER_SESSION=1).",
            labels=("session",),
        )
        samples = GaugeMetricFamily(
            "bestpair_session_samples",
            "Impressions that the last plan of a session uses; no growth while it runs: outcomes are missing.",
            labels=("session",),
        )
        relative_gap = GaugeMetricFamily(
            "bestpair_session_relative_gap",
            "The best pair so far is proven to lack at most this part of what the best pair earns (with "
            "BESTPAIR_METRICS_PER_SESSION=1).",
            labels=("session",),
        )
        for each in census.progress:
            gap.add_metric((each.session_id,), each.gap)
            if each.relative_gap is not None:
                relative_gap.add_metric((each.session_id,), each.relative_gap)
            samples.add_metric((each.session_id,), each.samples)
        yield from (gap, relative_gap, samples)
