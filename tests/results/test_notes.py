"""Notes: when they are said, in which words, and that they never suspend."""

import json
import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

from app.engine.health import Finding, FindingKind
from app.engine.problem import Model
from app.planning.make_plan import make_plan
from app.results.health import in_words, suspended, to_plain
from app.results.notes import NoteKind, epsilon_note, notes_from_signals, notes_of, outdated
from app.results.snapshots import snapshot_of
from app.sessions.model import FeedbackKind, Health, MissingFeedback, Signals
from tests.session_fixtures import MakeRecord, MakeSettings, items
from tests.session_log import NOW, Log

ONLY_CLICKS = Signals(issued=500, answered=100, only_clicks=True)
NO_ANSWERS = Signals(issued=100, answered=0, waited_seconds=150)


def kinds(notes: tuple[Health, ...]) -> list[str | None]:
    return [note.kind for note in notes]


def rarely(i: int, j: int, _version: int, rng: np.random.Generator) -> frozenset[int]:
    """Items 0 and 1 are clicked a few times in a thousand, the others hardly ever."""
    often = {0: 0.008, 1: 0.006}
    return frozenset(item for item in (i, j) if rng.random() < often.get(item, 0.001))


class TestUnusedRank:
    """Version 0.1.0 accepted a rank for every policy; sessions that have one go on."""

    REPORT: ClassVar = {"interval": [0.0, 1.0], "estimated_reward": 0.4}

    @pytest.mark.parametrize(("policy", "noted"), [("rplans", True), ("lucb", True), ("lrmc", False)])
    def test_it_is_noted_and_suspends_nothing(self, make_settings: MakeSettings, policy: str, *, noted: bool) -> None:
        settings = replace(make_settings(), policy=policy, rank=2)
        found = notes_of(settings, self.REPORT, Signals())
        assert kinds(found) == [NoteKind.UNUSED_RANK] * noted
        assert not suspended(found)
        assert not outdated(found, settings, Signals())

    def test_without_a_rank_there_is_nothing_to_note(self, make_settings: MakeSettings) -> None:
        assert notes_of(make_settings(), self.REPORT, Signals()) == ()

    def test_a_stored_session_with_a_rank_is_certified_as_before(self, make_record: MakeRecord) -> None:
        record = make_record(epsilon=0.2, delta=0.1)
        plain = Log(record, np.random.default_rng(3))
        ranked = Log(replace(record, settings=replace(record.settings, rank=2)), np.random.default_rng(3))
        assert [one.plan for one in ranked.plans()] == [one.plan for one in plain.plans()]
        body = json.loads(ranked.plan().snapshot.body)
        assert body["certified"]
        assert [entry["kind"] for entry in body["health"]] == [NoteKind.UNUSED_RANK]


class TestEpsilon:
    @pytest.mark.parametrize(("epsilon", "said"), [(0.05, False), (0.0501, True)])
    def test_from_half_of_what_the_leader_can_earn(self, epsilon: float, *, said: bool) -> None:
        assert bool(epsilon_note(epsilon, 0.1, 0.08)) is said

    def test_any_pair_would_pass(self) -> None:
        (note,) = epsilon_note(0.05, 0.031, 0.019)
        assert note.problem == (
            "epsilon is 5 points, but the best pair so far earns at most 3.1 %, so any pair is within 5 points of it: "
            "any pair would pass, even one that is never clicked"
        )
        assert "for example 0.0019 (0.19 points), a tenth of what this pair earns" in note.advice

    def test_almost_any_pair_would_pass(self) -> None:
        (note,) = epsilon_note(0.05, 0.09, 0.07)
        assert note.problem.endswith("so almost any pair would pass, even one that is clicked less than half as often")

    @pytest.mark.parametrize("estimate", [None, 0.0])
    def test_a_pair_without_a_click_is_judged_by_what_it_can_earn(self, estimate: float | None) -> None:
        (note,) = epsilon_note(0.05, 0.00002, estimate)
        assert "earns at most 0.002 %" in note.problem
        assert "for example 0.000002 (0.0002 points), a tenth of what this pair can earn" in note.advice

    def test_the_exact_answer_has_no_epsilon(self, make_settings: MakeSettings) -> None:
        report = {"interval": [0.0, 0.01], "estimated_reward": 0.01}
        assert kinds(notes_of(make_settings(), report, Signals())) == [NoteKind.EPSILON_TOO_LARGE]
        assert notes_of(make_settings(model=Model.DETERMINISTIC), report, Signals()) == ()

    def test_the_certificate_stands(self, make_record: MakeRecord) -> None:
        last = list(Log(make_record(policy="lucb"), np.random.default_rng(1), rarely).plans())[-1]
        said = json.loads(last.snapshot.body)
        assert (said["verdict"], said["certified"]) == ("certified", True)
        assert [entry["kind"] for entry in said["health"]] == ["epsilon_too_large"]
        assert last.certificate is not None
        assert last.plan.report["health"] == [], "it is derived, not stored"


class TestTraffic:
    @pytest.mark.parametrize(
        ("signals", "said"),
        [
            (Signals(), []),
            (ONLY_CLICKS, [NoteKind.ONLY_CLICKS_SO_FAR]),
            (Signals(issued=500, answered=99, only_clicks=True), []),
            (Signals(issued=500, answered=100, only_clicks=False), []),
            (NO_ANSWERS, [NoteKind.NO_ANSWERS]),
            (Signals(issued=99, waited_seconds=math.inf), []),
            (Signals(issued=100, waited_seconds=149.9), []),
            (Signals(issued=10_000, answered=1, only_clicks=True, waited_seconds=math.inf), []),
        ],
    )
    def test_when_it_is_said(self, make_settings: MakeSettings, signals: Signals, said: list[NoteKind]) -> None:
        assert kinds(notes_from_signals(make_settings(ticket_ttl_seconds=300), signals)) == said

    @pytest.mark.parametrize("signals", [ONLY_CLICKS, NO_ANSWERS])
    def test_silence_that_counts_as_no_click_is_fine(self, make_settings: MakeSettings, signals: Signals) -> None:
        clicks_only = make_settings(attribution_window_seconds=60, missing_feedback=MissingFeedback.NO_CLICK)
        assert notes_from_signals(clicks_only, signals) == ()
        assert notes_from_signals(make_settings(model=Model.DETERMINISTIC), signals) == ()
        all_reported = make_settings(attribution_window_seconds=60, missing_feedback=MissingFeedback.VOID)
        assert len(notes_from_signals(all_reported, signals)) == 1

    @pytest.mark.parametrize(
        ("feedback", "nothing"), [(FeedbackKind.PAIR, '"reward": 0'), (FeedbackKind.ITEMS, '"clicked": []')]
    )
    def test_it_asks_for_what_the_session_takes(
        self, make_settings: MakeSettings, feedback: FeedbackKind, nothing: str
    ) -> None:
        (note,) = notes_from_signals(make_settings(feedback=feedback), ONLY_CLICKS)
        assert (
            note.problem
            == f"all answers so far are clicks; do you also send {nothing} for impressions without a click?"
        )

    def test_a_snapshot_is_outdated_when_a_note_comes_or_goes(self, make_settings: MakeSettings) -> None:
        settings = make_settings()
        said = notes_from_signals(settings, ONLY_CLICKS)
        others = (Health("p", "c", "a"), *epsilon_note(0.05, 0.01, None))
        assert not outdated(others, settings, Signals())
        assert outdated(others, settings, ONLY_CLICKS), "it has come"
        assert not outdated((*others, *said), settings, ONLY_CLICKS)
        assert outdated((*others, *said), settings, Signals()), "it has gone"

    def test_a_finding_of_the_same_cause_says_more(self, make_record: MakeRecord) -> None:
        record = make_record()
        clicks = Finding(FindingKind.ONLY_CLICKS, True, (), {"clicks": 57.0, "unanswered": 0.8})
        found = in_words(clicks, items(4))
        report = {**Log(record, np.random.default_rng(1)).plan().plan.report, "health": to_plain([found])}
        body = json.loads(snapshot_of(record, report, (), ONLY_CLICKS, NOW).body)
        assert [entry["problem"] for entry in body["health"]] == [found.problem]
        assert not outdated([found], record.settings, ONLY_CLICKS), "or it would be rewritten every second"


def test_notes_never_suspend(make_record: MakeRecord) -> None:
    low: dict[str, Any] = {"interval": [0.0, 0.01], "estimated_reward": 0.01}
    for signals in (ONLY_CLICKS, NO_ANSWERS):
        notes = notes_of(make_record().settings, low, signals)
        assert len(notes) == 2
        assert not suspended(notes)
        log = Log(make_record(n_items=2), np.random.default_rng(1))
        given = log.given()
        planned = make_plan(type(given)(**{**vars(given), "signals": signals}), NOW)
        assert json.loads(planned.snapshot.body)["verdict"] == "certified", "two items: there is one pair"
        assert planned.certificate is not None


def test_what_is_stored_is_read_by_the_version_before() -> None:
    """It knows no `kind`, and goes on while a new one takes over."""
    (entry,) = to_plain([Health("p", "c", "a", suspends=False, kind="some_note")])
    assert entry == {"problem": "p", "cause": "c", "advice": "a", "suspends": False}
