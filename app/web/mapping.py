"""The values of the use cases as JSON shapes."""

from datetime import UTC, datetime
from typing import Any

from app.impressions.handout_order import Impression
from app.results.sql import HistoryPoint
from app.sessions.model import Counters, Session, SessionView
from app.wire import best_pair, serving, sessions


def impression(session: Session, given: Impression) -> serving.Impression:
    """Returns one impression as the caller gets it."""
    return serving.Impression(
        ticket=given.ticket,
        i=given.i,
        j=given.j,
        items=[session.items[given.i].id, session.items[given.j].id],
        purpose=given.purpose.value,
        counts=given.counts,
        plan_version=given.plan_version,
    )


def history_point(session: Session, point: HistoryPoint) -> best_pair.HistoryPoint:
    """Returns the report of one plan, with the caller's own ids."""
    report, (i, j) = point.report, point.report.pair
    return best_pair.HistoryPoint(
        samples=report.samples,
        gap=report.gap,
        relative_gap=report.relative_gap,
        estimated_reward=report.estimated_reward,
        interval=report.interval,
        phase=report.phase,
        plan_version=point.version,
        at=datetime.fromtimestamp(point.made_at, UTC),
        pair=(session.items[i].id, session.items[j].id),
        i=i,
        j=j,
        contenders=report.contenders,
    )


def counts(counters: Counters) -> sessions.Counts:
    """Returns the counters as callers see them."""
    return sessions.Counts(
        issued=counters.issued,
        answered=counters.answered,
        void=counters.void,
        counted=counters.counted,
        outstanding=counters.outstanding,
    )


def summary(view: SessionView) -> sessions.SessionSummary:
    """Returns a session as lists show it."""
    return sessions.SessionSummary.model_validate(_fields(view))


def session(view: SessionView) -> sessions.Session:
    """Returns a session with its items."""
    items = [sessions.Item(id=item.id, label=item.label) for item in view.session.items]
    return sessions.Session.model_validate({**_fields(view), "items": items})


def _fields(view: SessionView) -> dict[str, Any]:
    session = view.session
    best = best_pair.BestPair.model_validate_json(view.snapshot.body)
    return {
        **dict(view.editable),
        **dict(session.settings),
        "id": session.id,
        "state": session.state,
        "n_items": len(session.items),
        "budget": session.budget,
        "created_at": datetime.fromtimestamp(session.created_at, UTC),
        "updated_at": datetime.fromtimestamp(session.updated_at, UTC),
        "counters": counts(view.counters),
        "best_pair": best,
        "best_labels": (session.items[best.i].label, session.items[best.j].label),
    }
