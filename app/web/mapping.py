"""Between the JSON shapes and the values the use cases speak."""

from datetime import UTC, datetime
from typing import Any

from app.database.tables import State
from app.engine.problem import Model, SelfPairs
from app.impressions.handout import Impression
from app.results.sql import HistoryPoint
from app.sessions.creation import NewSession
from app.sessions.model import Counters, FeedbackKind, Item, MissingFeedback, Session, SessionChange, SessionView
from app.wire import best_pair, serving, sessions


def new_session(body: sessions.SessionCreate) -> NewSession:
    """Returns what a caller asks for; an item without a label is called by its id."""
    return NewSession(
        items=tuple(Item(item.id, item.label or item.id) for item in body.items),
        name=body.name,
        model=Model(body.model),
        feedback=FeedbackKind(body.feedback),
        policy=body.policy,
        rank=None if body.rank == "auto" else body.rank,
        epsilon=body.epsilon,
        delta=body.delta,
        self_pairs=None if body.self_pairs is None else SelfPairs(body.self_pairs),
        explore_share=body.explore_share,
        budget=body.budget,
        attribution_window_seconds=body.attribution_window_seconds,
        ticket_ttl_seconds=body.ticket_ttl_seconds,
        missing_feedback=None if body.missing_feedback is None else MissingFeedback(body.missing_feedback),
        seed=body.seed,
    )


def session_change(body: sessions.SessionPatch) -> SessionChange:
    """Returns the change a PATCH asks for."""
    state = None if body.state is None else State(body.state)
    return SessionChange(state=state, name=body.name, budget=body.budget)


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
    session, settings = view.session, view.session.settings
    best = best_pair.BestPair.model_validate_json(view.snapshot.body)
    return {
        "id": session.id,
        "name": session.name,
        "state": session.state.value,
        "n_items": len(session.items),
        "model": settings.model.value,
        "feedback": settings.feedback.value,
        "policy": settings.policy,
        "rank": "auto" if settings.rank is None else settings.rank,
        "epsilon": settings.epsilon,
        "delta": settings.delta,
        "self_pairs": settings.self_pairs.value,
        "explore_share": settings.explore_share,
        "budget": session.budget,
        "attribution_window_seconds": settings.attribution_window_seconds,
        "ticket_ttl_seconds": settings.ticket_ttl_seconds,
        "missing_feedback": settings.missing_feedback.value,
        "seed": settings.seed,
        "created_at": datetime.fromtimestamp(session.created_at, UTC),
        "updated_at": datetime.fromtimestamp(session.updated_at, UTC),
        "counters": counts(view.counters),
        "best_pair": best,
        "best_labels": (session.items[best.i].label, session.items[best.j].label),
    }
