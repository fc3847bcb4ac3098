"""`GET /metrics`: what the server's processes counted together, and what the database knows, for Prometheus."""

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
from app.sessions.ports import Census
from app.telemetry.metrics import METRICS, Kind, Meter, cell_index
from app.telemetry.metrics import Metric as Counted
from app.web.access import needs
from app.web.parameters import SessionsInUse
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
async def metrics(request: Request, sessions: SessionsInUse) -> Response:
    """Tells what all processes of this server have counted; replicas are asked one by one."""
    meter: Meter = request.app.state.meter
    census = await sessions.census()
    text = await asyncio.to_thread(exposition, meter.all.totals(), census, request.app.version)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4, "Cache-Control": "no-store"})


def exposition(totals: Sequence[float], census: Census | None, version: str) -> bytes:
    """Returns all metrics as Prometheus reads them."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families([*(_counted(metric, totals) for metric in METRICS), *_known(census, version)]))
    return generate_latest(registry)


class _Families(Collector):
    """What a registry asks for what to tell."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Sequence[Metric]:
        """Returns the families."""
        return self._families


def _counted(metric: Counted, totals: Sequence[float]) -> Metric:
    """Returns a metric of the catalogue with its values."""
    if metric.kind is Kind.BACKLOG:
        start = cell_index(metric.name)
        gauge = GaugeMetricFamily(metric.name, metric.help)
        # The two sides are read one after the other while others count: never below nothing.
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


def _known(census: Census | None, version: str) -> Iterator[Metric]:
    """Yields what is not counted but known; of the database only while it can be asked."""
    build = GaugeMetricFamily(
        "bestpair_build_info",
        "Always 1; which build answers: after an upgrade, all replicas must tell the same.",
        labels=("version", "python"),
    )
    build.add_metric((version, platform.python_version()), 1)
    yield build
    up = GaugeMetricFamily(
        "bestpair_database_up", "1 if the database answers, 0 if not: callers then get 503 and nothing is acknowledged."
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
        "Impressions handed out of which the outcome is not final, all of the database; growing without end: outcomes "
        "are not reported.",
    )
    for group in census.groups:
        sessions.add_metric((group.state, group.verdict), group.sessions)
    outstanding.add_metric((), sum(group.outstanding for group in census.groups))
    yield from (sessions, outstanding)
    if census.progress:
        gap = GaugeMetricFamily(
            "bestpair_session_gap",
            "The best pair of a session is proven within this of the best (with BESTPAIR_METRICS_PER_SESSION=1).",
            labels=("session",),
        )
        samples = GaugeMetricFamily(
            "bestpair_session_samples",
            "Impressions that the last plan of a session rests on; standing still while it runs: outcomes are missing.",
            labels=("session",),
        )
        for each in census.progress:
            gap.add_metric((each.session_id,), each.gap)
            samples.add_metric((each.session_id,), each.samples)
        yield from (gap, samples)
