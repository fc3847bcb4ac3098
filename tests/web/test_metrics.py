"""The metrics of one process; tests/e2e has several processes."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.errors import Overloaded, StorageUnavailable
from app.impressions.feedback import FeedbackStatus
from app.impressions.handout_order import Purpose
from app.results.sql import Census, SessionGroup, SessionProgress
from app.telemetry.metrics import FEEDBACK, METRICS, PURPOSES, ROUTES, Meter
from app.web.api import Api
from app.web.middleware import _ROUTE_NAMES
from app.web.routes.metrics import exposition
from tests.fakes.caller import Caller
from tests.fakes.sessions import FakeServices

FULL = Census(
    (SessionGroup("running", "not_yet", 2, 7),),
    (SessionProgress("s1", 0.25, 40, 0.5), SessionProgress("s2", 1.0, 0)),
)


def scraped(api: Caller) -> dict[tuple[str, ...], float]:
    """Returns the samples by name and label values."""
    answer = api.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return samples(answer.text)


def samples(text: str) -> dict[tuple[str, ...], float]:
    found = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    by_name = {(sample.name, *sample.labels.values()): sample.value for sample in found}
    assert len(by_name) == len(found)
    return by_name


def test_requests_are_counted_by_route_and_class_whichever_lane_serves_them(
    api: Caller, sessions: FakeServices, session: str
) -> None:
    api.post(f"{session}/next-pair")
    api.post(f"{session}/next-pair/batch", {"count": 2})
    api.post(f"{session}/feedback", {"ticket": "t1", "reward": 1})
    api.post(f"{session}/feedback", {"ticket": "unknown", "reward": 1})
    api.post(f"{session}/feedback", {"reward": "no shape"})
    api.post(f"{session}/feedback/batch", [{"ticket": "t1", "reward": 1}])
    tag = api.get(f"{session}/best-pair").headers["etag"]
    api.get(f"{session}/best-pair", headers={"If-None-Match": tag})
    api.get(f"{session}/best-pair", headers={"If-None-Match": f'"other", {tag}'})
    sessions.error = Overloaded("full")
    api.post(f"{session}/next-pair")
    sessions.error = RuntimeError("a fault")
    api.post(f"{session}/next-pair")
    api.get(f"{session}/history")
    sessions.error = None
    api.get("/nothing/here")
    found = {key[1:]: value for key, value in scraped(api).items() if key[0] == "bestpair_requests_total" and value}
    assert found == {
        ("next-pair", "2xx"): 1, ("next-pair", "5xx"): 2, ("next-pair/batch", "2xx"): 1,
        ("feedback", "2xx"): 1, ("feedback", "4xx"): 2, ("feedback/batch", "2xx"): 1,
        ("best-pair", "2xx"): 1, ("best-pair", "3xx"): 2,
        ("sessions", "2xx"): 1, ("history", "5xx"): 1, ("other", "4xx"): 1,
    }  # fmt: skip
    again = scraped(api)
    assert again["bestpair_unexpected_errors_total", "request"] == 2
    assert again["bestpair_requests_total", "metrics", "2xx"] == 1


def test_without_a_database_metrics_are_told_all_the_same(api: Caller, sessions: FakeServices) -> None:
    assert scraped(api)["bestpair_database_up",] == 1
    assert scraped(api)["bestpair_sessions", "running", "not_yet"] == 2
    assert scraped(api)["bestpair_impressions_outstanding",] == 7
    sessions.error = StorageUnavailable("away")
    found = scraped(api)
    assert found["bestpair_database_up",] == 0
    assert not [key for key in found if key[0] in {"bestpair_sessions", "bestpair_impressions_outstanding"}]


def test_labels_cover_every_route_status_and_purpose(app: Api) -> None:
    paths = set(app.openapi()["paths"])
    assert paths - _ROUTE_NAMES.keys() == set(), "a new route needs a label"
    assert {_ROUTE_NAMES[path] for path in paths} | {"other"} == set(ROUTES)
    assert set(FEEDBACK) == {status.value for status in FeedbackStatus}
    assert set(PURPOSES) == {purpose.value for purpose in Purpose}


@pytest.mark.parametrize("family", list(text_string_to_metric_families(exposition([0.0] * 1000, FULL, "1").decode())))
def test_names_follow_the_conventions(family: object) -> None:
    name, kind, help_ = (str(getattr(family, part)) for part in ("name", "type", "documentation"))
    assert name.startswith("bestpair_")
    assert len(help_) > 40
    assert not help_.endswith(" ")
    assert kind in {"counter", "gauge", "histogram"}
    listed = {metric.name for metric in METRICS}
    assert (kind == "counter") == (f"{name}_total" in listed)


def test_a_histogram_adds_up() -> None:
    meter = Meter()
    for seconds in (0.0005, 0.003, 400.0):
        meter.observe("bestpair_fold_seconds", seconds)
    found = samples(exposition(meter.all.totals(), None, "1").decode())
    assert found["bestpair_fold_seconds_bucket", "0.001"] == 1
    assert found["bestpair_fold_seconds_bucket", "0.005"] == 2
    assert found["bestpair_fold_seconds_bucket", "60.0"] == 2
    assert found["bestpair_fold_seconds_bucket", "+Inf"] == found["bestpair_fold_seconds_count",] == 3
    assert found["bestpair_fold_seconds_sum",] == pytest.approx(400.0035)


def test_progress_by_session_and_the_version() -> None:
    found = samples(exposition([0.0] * 1000, FULL, "1.2.3").decode())
    assert found["bestpair_session_gap", "s1"] == 0.25
    assert found["bestpair_session_relative_gap", "s1"] == 0.5
    assert ("bestpair_session_relative_gap", "s2") not in found, "proven by an older version"
    assert found["bestpair_session_samples", "s1"] == 40
    (build,) = [key for key in found if key[0] == "bestpair_build_info"]
    assert "1.2.3" in build
