"""Notes: when they appear, their texts, and that they never suspend a verdict."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from app.counting.signals_sql import Signals
from app.engine.health import Finding, FindingKind
from app.engine.problem import Goal, Model
from app.health import Health, suspends
from app.planning.make_plan import make_plan
from app.results.best_pair import snapshot_of
from app.results.findings import describe
from app.results.notes import NoteKind, epsilon_note, is_outdated, notes_from_signals, notes_of
from app.wire.vocabulary import FeedbackKind, MissingFeedback
from tests.examples import report
from tests.session_fixtures import MakeRecord, MakeSettings, items
from tests.session_log import NOW, Log

ONLY_CLICKS = Signals(issued=500, answered=100, only_clicks=True)
NO_ANSWERS = Signals(issued=100, answered=0, waited_seconds=150)
LOW = report(interval=(0.0, 0.01), estimated_reward=0.01)


def kinds(notes: tuple[Health, ...]) -> list[str | None]:
    return [note.kind for note in notes]


def rarely(i: int, j: int, _version: int, rng: np.random.Generator) -> frozenset[int]:
    """Items 0 and 1 are clicked a few times in a thousand, the others almost never."""
    often = {0: 0.008, 1: 0.006}
    return frozenset(item for item in (i, j) if rng.random() < often.get(item, 0.001))


class TestUnusedRank:
    """Version 0.1.0 accepted a rank for every policy; sessions that have one continue."""

    @pytest.mark.parametrize(("policy", "noted"), [("rplans", True), ("lucb", True), ("lrmc", False)])
    def test_it_is_noted_and_suspends_nothing(self, make_settings: MakeSettings, policy: str, *, noted: bool) -> None:
        settings = make_settings().model_copy(update={"policy": policy, "rank": 2})
        found = notes_of(settings, report(estimated_reward=0.4), Signals())
        assert kinds(found) == [NoteKind.UNUSED_RANK] * noted
        assert not suspends(found)
        assert not is_outdated(found, settings, Signals())

    def test_without_a_rank_there_is_no_note(self, make_settings: MakeSettings) -> None:
        assert notes_of(make_settings(), report(estimated_reward=0.4), Signals()) == ()

    def test_a_stored_session_with_a_rank_is_certified_as_before(self, make_record: MakeRecord) -> None:
        record = make_record(epsilon=0.2, delta=0.1)
        plain = Log(record, np.random.default_rng(3))
        ranked = Log(replace(record, settings=record.settings.model_copy(update={"rank": 2})), np.random.default_rng(3))
        assert [one.plan for one in ranked.plans()] == [one.plan for one in plain.plans()]
        body = json.loads(ranked.plan().snapshot.body)
        assert body["certified"]
        assert [entry["kind"] for entry in body["health"]] == [NoteKind.UNUSED_RANK]


class TestEpsilon:
    @pytest.mark.parametrize(("epsilon", "noted"), [(0.05, False), (0.0501, True)])
    def test_it_is_noted_above_half_of_what_the_leader_can_earn(self, epsilon: float, *, noted: bool) -> None:
        assert bool(epsilon_note(Goal(epsilon), 0.1)) is noted

    @pytest.mark.parametrize("epsilon", [0.0501, 0.1, 0.9])
    def test_a_relative_goal_is_never_noted(self, make_settings: MakeSettings, epsilon: float) -> None:
        assert epsilon_note(Goal(epsilon), 0.1) != ()
        assert epsilon_note(Goal(epsilon, relative=True), 0.1) == ()
        assert notes_of(make_settings(relative_epsilon=epsilon), LOW, Signals()) == ()

    def test_any_pair_would_pass(self) -> None:
        (note,) = epsilon_note(Goal(0.05), 0.031)
        assert note.problem == (
            "epsilon is 5 points, but the best pair so far earns at most 3.1 %, so any pair is within 5 points of the "
            "best: any pair would pass, even one that is never clicked"
        )
        assert not note.suspends

    def test_the_advice_is_a_relative_goal(self) -> None:
        (note,) = epsilon_note(Goal(0.05), 0.031)
        assert note.advice.startswith(
            "create a session with relative_epsilon 0.1: certified then means at least 90 % of what the best pair earns"
        )

    def test_almost_any_pair_would_pass(self) -> None:
        (note,) = epsilon_note(Goal(0.05), 0.09)
        assert note.problem.endswith("so almost any pair would pass, even one that is clicked less than half as often")

    def test_very_low_rates_are_written_without_an_exponent(self) -> None:
        (note,) = epsilon_note(Goal(0.05), 0.00002)
        assert "earns at most 0.002 %" in note.problem

    def test_the_deterministic_model_has_no_epsilon_note(self, make_settings: MakeSettings) -> None:
        assert kinds(notes_of(make_settings(epsilon=0.05), LOW, Signals())) == [NoteKind.EPSILON_TOO_LARGE]
        assert notes_of(make_settings(epsilon=0.05, model=Model.DETERMINISTIC), LOW, Signals()) == ()

    def test_it_does_not_prevent_the_certificate(self, make_record: MakeRecord) -> None:
        last = list(Log(make_record(policy="lucb", epsilon=0.05), np.random.default_rng(1), rarely).plans())[-1]
        body = json.loads(last.snapshot.body)
        assert (body["verdict"], body["certified"]) == ("certified", True)
        assert [entry["kind"] for entry in body["health"]] == ["epsilon_too_large"]
        assert last.certificate is not None
        assert last.plan.report.health == (), "it is derived, not stored"


class TestTraffic:
    @pytest.mark.parametrize(
        ("signals", "expected"),
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
    def test_when_a_note_appears(self, make_settings: MakeSettings, signals: Signals, expected: list[NoteKind]) -> None:
        assert kinds(notes_from_signals(make_settings(ticket_ttl_seconds=300), signals)) == expected

    @pytest.mark.parametrize("signals", [ONLY_CLICKS, NO_ANSWERS])
    def test_there_is_no_note_if_missing_feedback_counts_as_no_click(
        self, make_settings: MakeSettings, signals: Signals
    ) -> None:
        clicks_only = make_settings(attribution_window_seconds=60, missing_feedback=MissingFeedback.NO_CLICK)
        assert notes_from_signals(clicks_only, signals) == ()
        assert notes_from_signals(make_settings(model=Model.DETERMINISTIC), signals) == ()
        all_reported = make_settings(attribution_window_seconds=60, missing_feedback=MissingFeedback.VOID)
        assert len(notes_from_signals(all_reported, signals)) == 1

    @pytest.mark.parametrize(
        ("feedback", "nothing"), [(FeedbackKind.PAIR, '"reward": 0'), (FeedbackKind.ITEMS, '"clicked": []')]
    )
    def test_the_text_names_the_feedback_that_the_session_takes(
        self, make_settings: MakeSettings, feedback: FeedbackKind, nothing: str
    ) -> None:
        (note,) = notes_from_signals(make_settings(feedback=feedback), ONLY_CLICKS)
        assert (
            note.problem
            == f"all answers so far are clicks; do you also send {nothing} for impressions without a click?"
        )

    def test_a_snapshot_is_outdated_when_a_note_appears_or_disappears(self, make_settings: MakeSettings) -> None:
        settings = make_settings()
        notes = notes_from_signals(settings, ONLY_CLICKS)
        others = (Health("p", "c", "a"), *epsilon_note(Goal(0.05), 0.01))
        assert not is_outdated(others, settings, Signals())
        assert is_outdated(others, settings, ONLY_CLICKS), "a note is missing"
        assert not is_outdated((*others, *notes), settings, ONLY_CLICKS)
        assert is_outdated((*others, *notes), settings, Signals()), "a note is no longer true"

    def test_a_note_is_left_out_if_a_finding_has_the_same_cause(self, make_record: MakeRecord) -> None:
        record = make_record()
        clicks = Finding(FindingKind.ONLY_CLICKS, True, (), {"clicks": 57.0, "unanswered": 0.8})
        found = describe(clicks, items(4))
        with_finding = replace(Log(record, np.random.default_rng(1)).plan().plan.report, health=(found,))
        body = json.loads(snapshot_of(record, with_finding, (), ONLY_CLICKS, NOW).body)
        assert [entry["problem"] for entry in body["health"]] == [found.problem]
        assert not is_outdated([found], record.settings, ONLY_CLICKS), (
            "otherwise the snapshot would be rewritten every second"
        )


def test_notes_never_suspend(make_record: MakeRecord) -> None:
    for signals in (ONLY_CLICKS, NO_ANSWERS):
        notes = notes_of(make_record(epsilon=0.05).settings, LOW, signals)
        assert len(notes) == 2
        assert not suspends(notes)
        log = Log(make_record(n_items=2), np.random.default_rng(1))
        given = log.given()
        planned = make_plan(type(given)(**{**vars(given), "signals": signals}), NOW)
        assert planned is not None
        assert json.loads(planned.snapshot.body)["verdict"] == "certified", "two items are one pair"
        assert planned.certificate is not None
