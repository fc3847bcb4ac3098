"""A reference that knows only the rules of counting: final, issue order, void left out."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from app.counting.rules import EvidenceRows
from app.impressions.feedback import FeedbackStatus
from app.impressions.handout_order import Impression
from app.sessions.model import Counters
from app.wire.serving import Feedback
from app.wire.vocabulary import MissingFeedback
from tests.examples import exported
from tests.store import SessionStore

Cell = tuple[int, int, int]
Sums = dict[Cell, tuple[int, float, int, int, int]]


@dataclass
class Shown:
    """One impression as the reference knows it."""

    one: Impression
    issued: float
    answer: Feedback | None = None


class Reference:
    """An ad server's diary, and what should count according to it. Its clock moves only when told."""

    def __init__(self, window: float, ttl: float, silence: MissingFeedback) -> None:
        self.clock = 0.0
        self.diary: list[Shown] = []
        self._window, self._lives, self._silence = window, window or ttl, silence
        self._settled: dict[str, str] = {}  # ticket: counted or void, as of the last fold
        self._by_ticket: dict[str, Shown] = {}

    def note(self, given: list[Impression]) -> None:
        for one in given:
            self.diary.append(Shown(one, self.clock))
            self._by_ticket[one.ticket] = self.diary[-1]

    def expected_status(self, feedback: Feedback) -> FeedbackStatus | None:
        """Returns what a first answer must get and remembers it; None where an earlier one decides."""
        shown = self._by_ticket[feedback.ticket]
        if shown.answer is not None:
            return None
        if self.clock >= shown.issued + self._lives or shown.one.ticket in self._settled:
            return FeedbackStatus.LATE
        shown.answer = feedback
        return FeedbackStatus.ACCEPTED

    def fold(self) -> None:
        for shown in self.diary:
            if shown.one.ticket in self._settled:
                continue
            if not self._final(shown):
                return
            self._settled[shown.one.ticket] = "void" if self._void(shown) else "counted"

    def known(self) -> Sums:
        """Returns the answers after the watermark; none where only clicks are reported."""
        if self._silence is not MissingFeedback.VOID:
            return {}
        return self._sums(
            shown
            for shown in self.diary
            if shown.one.ticket not in self._settled and shown.answer is not None and not shown.answer.not_shown
        )

    def counters(self) -> Counters:
        kinds = list(self._settled.values())
        answered = [shown for shown in self.diary if shown.answer is not None and not shown.answer.not_shown]
        return Counters(len(self.diary), len(answered), kinds.count("void"), kinds.count("counted"))

    def evidence(self) -> Sums:
        counted = self._sums(shown for shown in self.diary if self._settled.get(shown.one.ticket) == "counted")
        sums = defaultdict(lambda: (0, 0.0, 0, 0, 0), counted)
        for shown in self.diary:
            if self._settled.get(shown.one.ticket) == "void" and shown.answer is None:
                cell = (*self._pair(shown), shown.one.plan_version)
                sums[cell] = (*sums[cell][:4], sums[cell][4] + 1)
        return dict(sums)

    def _sums(self, some: Iterable[Shown]) -> Sums:
        sums: dict[Cell, list[float]] = defaultdict(lambda: [0, 0.0, 0, 0, 0])
        for shown in some:
            pair = self._pair(shown)
            ids = (shown.answer.clicked or []) if shown.answer else []
            clicked = {int(item.removeprefix("ad-")) for item in ids}
            value = 0.0 if shown.answer is None else shown.answer.reward
            cell = sums[*pair, shown.one.plan_version]
            cell[0] += 1
            cell[1] += 1.0 - (float(bool(clicked)) if value is None else value)
            cell[2] += pair[0] in clicked
            cell[3] += pair[1] in clicked
        return {cell: (int(n), s, int(a), int(b), int(u)) for cell, (n, s, a, b, u) in sums.items()}

    def closed_before(self, version: int) -> int:
        """Returns the first version that something is out of; the present one if nothing is."""
        out = [shown.one.plan_version for shown in self.diary if shown.one.ticket not in self._settled]
        return min(out, default=version)

    def _pair(self, shown: Shown) -> tuple[int, int]:
        return min(shown.one.i, shown.one.j), max(shown.one.i, shown.one.j)

    def _final(self, shown: Shown) -> bool:
        if shown.answer is not None and (shown.answer.not_shown or not self._window):
            return True
        return self.clock >= shown.issued + self._lives

    def _void(self, shown: Shown) -> bool:
        if shown.answer is None:
            return self._silence is MissingFeedback.VOID
        return shown.answer.not_shown


def sums_of(rows: EvidenceRows) -> Sums:
    cells = zip(rows.i, rows.j, rows.version, strict=True)
    counts = zip(rows.n, rows.s, rows.clicks_i, rows.clicks_j, rows.unanswered, strict=True)
    return dict(zip(cells, counts, strict=True))


async def recount(store: SessionStore, session_id: str) -> tuple[Counters, Sums]:
    """Returns counters and evidence rebuilt from the exported impressions alone."""
    rows = [row for row in await exported(store, session_id, "impression") if row["counts"]]
    (session,) = await exported(store, session_id, "session")
    passed = [row for row in rows if row["sequence"] <= session["watermark"]]
    counted = [row for row in passed if not row["void"]]
    sums: dict[Cell, list[float]] = defaultdict(lambda: [0, 0.0, 0, 0, 0])
    for row in passed:
        low, high = sorted((row["i"], row["j"]))
        if row["void"] and row["outcome"] is None and not row["not_shown"]:
            sums[low, high, row["plan_version"]][4] += 1
    for row in counted:
        bits = row["clicked"] or 0
        by_item = {row["i"]: bits & 1, row["j"]: bits >> 1}
        low, high = sorted((row["i"], row["j"]))
        cell = sums[low, high, row["plan_version"]]
        for place, value in enumerate((1, 1.0 - (row["outcome"] or 0.0), by_item[low], by_item[high])):
            cell[place] += value
    counters = Counters(
        issued=len(rows),
        answered=sum(row["outcome"] is not None for row in rows),
        void=sum(row["void"] for row in passed),
        counted=len(counted),
    )
    return counters, {cell: (int(n), s, int(a), int(b), int(u)) for cell, (n, s, a, b, u) in sums.items()}
