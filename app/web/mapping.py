"""Between the JSON shapes and the values the use cases speak."""

from datetime import UTC, datetime
from typing import Any

from app.engine.problem import Model, SelfPairs
from app.sessions.creation import NewSession
from app.sessions.model import (
    Counters,
    FeedbackKind,
    HistoryPoint,
    Item,
    MissingFeedback,
    SessionChange,
    SessionRecord,
    State,
)
from app.sessions.service import Answer, SessionView, Shown
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


def answer(body: serving.Feedback) -> Answer:
    """Returns feedback as the use case takes it."""
    clicked = None if body.clicked is None else tuple(body.clicked)
    return Answer(body.ticket, reward=body.reward, clicked=clicked, not_shown=body.not_shown)


def impression(shown: Shown) -> serving.Impression:
    """Returns one impression as the caller gets it."""
    given = shown.handed_out
    return serving.Impression(
        ticket=given.ticket,
        i=given.i,
        j=given.j,
        items=list(shown.items),
        purpose=given.purpose.value,
        counts=given.counts,
        plan_version=given.plan_version,
    )


def history_point(record: SessionRecord, point: HistoryPoint) -> best_pair.HistoryPoint:
    """Returns what one plan said, with the caller's own ids."""
    i, j = point.report["pair"]
    said = {name: point.report[name] for name in ("samples", "gap", "estimated_reward", "interval", "phase")}
    return best_pair.HistoryPoint(
        **said,
        plan_version=point.version,
        at=datetime.fromtimestamp(point.made_at, UTC),
        pair=(record.items[i].id, record.items[j].id),
        i=i,
        j=j,
        contenders=point.report["contenders"],
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
    items = [sessions.Item(id=item.id, label=item.label) for item in view.record.items]
    return sessions.Session.model_validate({**_fields(view), "items": items})


def _fields(view: SessionView) -> dict[str, Any]:
    record, settings = view.record, view.record.settings
    best = best_pair.BestPair.model_validate_json(view.snapshot.body)
    return {
        "id": record.id,
        "name": record.name,
        "state": record.state.value,
        "n_items": len(record.items),
        "model": settings.model.value,
        "feedback": settings.feedback.value,
        "policy": settings.policy,
        "rank": "auto" if settings.rank is None else settings.rank,
        "epsilon": settings.epsilon,
        "delta": settings.delta,
        "self_pairs": settings.self_pairs.value,
        "explore_share": settings.explore_share,
        "budget": record.budget,
        "attribution_window_seconds": settings.attribution_window_seconds,
        "ticket_ttl_seconds": settings.ticket_ttl_seconds,
        "missing_feedback": settings.missing_feedback.value,
        "seed": settings.seed,
        "created_at": datetime.fromtimestamp(record.created_at, UTC),
        "updated_at": datetime.fromtimestamp(record.updated_at, UTC),
        "counters": counts(view.counters),
        "best_pair": best,
        "best_labels": (record.items[best.i].label, record.items[best.j].label),
    }
