"""The use cases: what each endpoint does, without HTTP and without SQL."""

import json
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.access.audit import OPEN_ACCESS
from app.engine.problem import Model
from app.errors import (
    FeedbackConflict,
    InvalidFeedback,
    InvalidSession,
    NotCertified,
    SessionError,
    TicketNotFound,
)
from app.planning.planner import Planner
from app.results.estimating import Estimating
from app.results.overview import Overview
from app.results.snapshot_cache import SnapshotCache
from app.results.snapshots import SUSPENDED
from app.results.watching import Watch
from app.sessions.creation import NewSession, settle
from app.sessions.model import (
    Answers,
    Counters,
    EvidenceRows,
    Feedback,
    FeedbackKind,
    FeedbackStatus,
    HandedOut,
    HistoryPoint,
    Live,
    Rewards,
    SessionChange,
    SessionRecord,
    Snapshot,
    State,
)
from app.sessions.ports import Census, CertificateRecord, Order, PlanningInput, Store
from app.telemetry.metrics import Meter

log = logging.getLogger("bestpair.sessions")

CACHED_SESSIONS = 1000

REFUSALS = {
    FeedbackStatus.NOT_FOUND: "no impression of this session has this ticket",
    FeedbackStatus.CONFLICT: (
        "this ticket was answered before, with another value; the first answer stays, so name all clicked items in one"
    ),
    FeedbackStatus.INVALID: "names an item that this impression did not show; send only ids of the pair shown",
}
"""What is said of an answer that was not taken, for a single call and for a row of a batch alike."""


@dataclass(frozen=True)
class SessionView:
    """A session as it is read."""

    record: SessionRecord
    counters: Counters
    snapshot: Snapshot


class Shown(NamedTuple):
    """An impression with the caller's own item ids, in the order shown."""

    handed_out: HandedOut
    items: tuple[str, str]


class Answer(NamedTuple):
    """Feedback as a caller sends it: exactly one of reward, clicked and not_shown."""

    ticket: str
    reward: float | None = None
    clicked: tuple[str, ...] | None = None
    not_shown: bool = False


class RowResult(NamedTuple):
    """What became of one row of a batch."""

    status: str
    detail: str | None = None


_CLICK_OR_NOT = (0.0, 1.0)
_ROW_RESULTS = {status: RowResult(status.value, REFUSALS.get(status)) for status in FeedbackStatus}
ACCEPTED = _ROW_RESULTS[FeedbackStatus.ACCEPTED]


class Sessions:
    """All that can be done with sessions."""

    def __init__(self, store: Store, meter: Meter | None = None, *, census_by_session: bool = False) -> None:
        meter = meter or Meter()
        self._store = store
        self._snapshots = SnapshotCache(store.snapshot)
        self._planner = Planner(store, said_anew=self._snapshots.forget, meter=meter)
        self._estimating = Estimating(store)
        self._watch = Watch(store.live, meter=meter)
        self._overview = Overview(store.census, by_session=census_by_session)
        self._known: dict[str, tuple[SessionRecord, dict[str, int]]] = {}  # what never changes: items and settings

    async def start(self) -> None:
        """Starts planning in the background."""
        self._planner.start()

    async def stop(self) -> None:
        """Stops planning and ends streams; everything else ends with its callers."""
        await self._watch.stop()
        await self._planner.stop()

    async def create(self, new: NewSession, by: str = OPEN_ACCESS) -> SessionView:
        """Returns a new session with its first plan; raises InvalidSession."""
        settings = settle(new)
        record = SessionRecord(
            id=secrets.token_hex(12),
            name=new.name,
            items=new.items,
            settings=settings,
            ticket_key=secrets.token_bytes(32),
            state=State.RUNNING,
            budget=new.budget,
            plan_version=0,
            plan_id="",
            epoch=0,
            created_at=0.0,
            updated_at=0.0,
        )
        nothing = Counters(0, 0, 0, 0)
        planned = await self._planner.make(PlanningInput(record, nothing, EvidenceRows(), None, ()))
        stored = await self._store.create_session(record, planned.plan, planned.snapshot, planned.certificate, by)
        log.info("session_created", extra={"session": stored.id, "label": stored.name, "items": len(stored.items)})
        return SessionView(stored, nothing, planned.snapshot)

    async def get(self, session_id: str) -> SessionView:
        """Returns one session."""
        record = await self._store.session(session_id)
        return SessionView(record, await self._store.counters(session_id), await self._store.snapshot(session_id))

    async def page(self, limit: int, before: str | None) -> list[SessionView]:
        """Returns sessions, newest first, after the one with id `before`."""
        return [SessionView(*found) for found in await self._store.sessions(limit, before)]

    async def change(self, session_id: str, change: SessionChange, by: str = OPEN_ACCESS) -> SessionView:
        """Returns the session after a change of state, name or budget."""
        changed = await self._store.change_session(session_id, change, by)
        log.info("session_changed", extra={"session": session_id, "state": changed.state.value})
        if change.budget is not None:
            await self._planner.advance(session_id, plan_anyway=True)
        await self._planner.refresh(session_id)
        return await self.get(session_id)

    async def delete(self, session_id: str, by: str = OPEN_ACCESS) -> None:
        """Deletes the session with all its data."""
        await self._store.delete_session(session_id, by)
        log.info("session_deleted", extra={"session": session_id})
        self._known.pop(session_id, None)
        self._planner.forget(session_id)
        self._snapshots.forget(session_id)

    async def next_pairs(self, session_id: str, order: Order) -> list[Shown]:
        """Returns impressions to show, on disk already where they count."""
        record, _ = self._known.get(session_id) or await self._session(session_id)
        items = record.items
        return [Shown(one, (items[one.i].id, items[one.j].id)) for one in await self._store.issue(session_id, order)]

    async def feedback(self, session_id: str, answer: Answer) -> FeedbackStatus:
        """Returns what became of one answer; raises TicketNotFound, FeedbackConflict, InvalidFeedback."""
        record, numbers = self._known.get(session_id) or await self._session(session_id)
        (status,) = await self._store.answer(session_id, [_checked(answer, record, numbers)])
        if status is FeedbackStatus.NOT_FOUND:
            raise TicketNotFound(REFUSALS[status])
        if status is FeedbackStatus.CONFLICT:
            raise FeedbackConflict(REFUSALS[status])
        if status is FeedbackStatus.INVALID:
            raise InvalidFeedback("clicked", REFUSALS[status])
        self._planner.answers_came(session_id, int(status is FeedbackStatus.ACCEPTED))
        return status

    async def feedback_batch(self, session_id: str, answers: Sequence[Answer] | Rewards) -> list[RowResult]:
        """Returns one result per answer, in order; a bad row spoils no other."""
        record, numbers = await self._session(session_id)
        good, bad = _sorted_out(answers, record, numbers)
        # Even with nothing to store the store is asked: it knows whether the session still exists.
        statuses = await self._store.answer(session_id, good)
        self._planner.answers_came(session_id, statuses.count(FeedbackStatus.ACCEPTED))
        results = [_ROW_RESULTS[status] for status in statuses]
        for place, result in bad:  # from the first on: each finds its place
            results.insert(place, result)
        return results

    async def best_pair(self, session_id: str) -> Snapshot:
        """Returns the prepared answer; what another process has changed is seen within a second."""
        return self._snapshots.kept(session_id) or await self._snapshots.read(session_id)

    def best_pair_kept(self, session_id: str) -> Snapshot | None:
        """Returns the prepared answer if it is at hand."""
        return self._snapshots.kept(session_id)

    async def estimates(self, session_id: str, top: int) -> Snapshot:
        """Returns the heat map of the most relevant items, some seconds old at the most."""
        return await self._estimating.read(session_id, top)

    def follow(self, session_id: str, idle_seconds: float) -> AsyncIterator[Live | None]:
        """Returns the session now and whenever it changes, None after so long without news; see `Watch.follow`."""
        return self._watch.follow(session_id, idle_seconds)

    def close_streams(self) -> None:
        """Ends what `follow` has begun: a server that stops waits for it."""
        self._watch.close()

    async def history(self, session_id: str, after: int, limit: int) -> tuple[SessionRecord, list[HistoryPoint]]:
        """Returns what plans after a version said, oldest first, with the session's items to name them by."""
        points = await self._store.history(session_id, after, limit)
        return (await self._session(session_id))[0], points

    async def certificate(self, session_id: str) -> CertificateRecord:
        """Returns the certificate; raises NotCertified before there is one."""
        found = await self._store.certificate(session_id)
        if found is None:
            best = json.loads((await self._store.snapshot(session_id)).body)
            if best["verdict"] == SUSPENDED:
                raise NotCertified("nothing can be certified: an assumption is contradicted, see health in best-pair")
            raise NotCertified(
                f"nothing is certified yet; the best pair so far is proven within {best['gap']:.4g} of the best"
            )
        return found

    def export(self, session_id: str) -> AsyncIterator[dict[str, Any]]:
        """Yields the session's log, row by row."""
        return self._store.export(session_id)

    async def census(self) -> Census | None:
        """Returns what operators ask about all sessions, some seconds old at the most; None without a database."""
        return await self._overview.take()

    async def ready(self) -> str | None:
        """Returns None if requests can be served, otherwise why not."""
        try:
            return await self._store.ready()
        except SessionError as error:
            return error.detail

    async def _session(self, session_id: str) -> tuple[SessionRecord, dict[str, int]]:
        """Returns the record (for what never changes) and the numbers of the items by id."""
        known = self._known.get(session_id)
        if known is None:
            record = await self._store.session(session_id)
            known = (record, {item.id: number for number, item in enumerate(record.items)})
            if len(self._known) >= CACHED_SESSIONS:
                self._known.pop(next(iter(self._known)))
            self._known[session_id] = known
        return known


def _sorted_out(
    answers: Sequence[Answer] | Rewards, record: SessionRecord, numbers: dict[str, int]
) -> tuple[Answers, list[tuple[int, RowResult]]]:
    """Returns the answers that the session understands, and the places of the others with what is said of them."""
    if isinstance(answers, Rewards):
        if record.settings.feedback is FeedbackKind.PAIR:  # nearly every batch
            return answers, []
        answers = list(map(Answer, answers.tickets, answers.clicks))
    good: list[Feedback] = []
    bad: list[tuple[int, RowResult]] = []
    for place, answer in enumerate(answers):
        try:
            good.append(_checked(answer, record, numbers))
        except InvalidFeedback as error:
            bad.append((place, RowResult("invalid", f"{error.field}: {error.detail}")))
    return good, bad


def _checked(answer: Answer, record: SessionRecord, numbers: dict[str, int]) -> Feedback:
    """Returns the answer as the session understands it; raises InvalidFeedback."""
    if answer.reward in _CLICK_OR_NOT and record.settings.feedback is FeedbackKind.PAIR:  # nearly every answer
        return Feedback(answer.ticket, answer.reward)
    if answer.not_shown:
        return Feedback(answer.ticket, not_shown=True)
    if record.settings.feedback is FeedbackKind.ITEMS:
        if answer.clicked is None:
            raise InvalidFeedback("clicked", "this session asks which items were clicked: send a list of ids, or []")
        unknown = [item for item in answer.clicked if item not in numbers]
        if unknown:
            raise InvalidFeedback("clicked", f'no item of this session is called "{unknown[0]}"')
        return Feedback(answer.ticket, clicked=frozenset(numbers[item] for item in answer.clicked))
    if answer.reward is None:
        raise InvalidFeedback("reward", "this session asks for a reward: 1 for a click on the pair, 0 for none")
    if record.settings.model is Model.STOCHASTIC and answer.reward not in (0, 1):
        raise InvalidFeedback("reward", f"must be 0 or 1, got {answer.reward}")
    if not 0 <= answer.reward <= 1:
        raise InvalidFeedback("reward", f"must be between 0 and 1, got {answer.reward}")
    return Feedback(answer.ticket, reward=answer.reward)


__all__ = ["ACCEPTED", "Answer", "InvalidSession", "NewSession", "RowResult", "SessionView", "Sessions", "Shown"]
