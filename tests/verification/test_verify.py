"""Checking a certificate against a log: what was written holds, and every kind of forgery is noticed."""

import copy
import json
from typing import Any

import pytest

from app.verification.logged_choices import wrong_choices
from app.verification.verify import verify
from app.wire.vocabulary import FeedbackKind
from tests.verification.forging import Certified, certified_session, certify_again, failed, forged, of_schema_2, why


@pytest.fixture(scope="module")
def plain() -> Certified:
    return certified_session(policy="lucb")


@pytest.fixture(scope="module")
def chosen(choosing: str) -> Certified:
    """Rests on choices, and on clicks by item."""
    return certified_session(policy=choosing, feedback=FeedbackKind.ITEMS, epsilon=0.1)


@pytest.fixture(scope="module")
def compared() -> Certified:
    """Rests on contrasts of a nominee with its rivals."""
    return certified_session(policy="rplans", feedback=FeedbackKind.ITEMS, epsilon=0.05)


def test_certificate_verifies_against_its_log(plain: Certified, chosen: Certified) -> None:
    for certificate, rows in (plain, chosen):
        assert certificate["pair"] == ["ad-0", "ad-1"]
        assert failed(verify(certificate, rows)) == set()
    assert len(chosen.certificate["choices"]["nominees"]) == 2
    assert chosen.certificate["bounds"]["shares_of_delta"]["clicks"] == 0.2
    assert sum(chosen.certificate["evidence"]["clicks_i"]) > 0


def test_choices_shares_and_clicks_decide_the_bounds(chosen: Certified) -> None:
    """Otherwise the checks below would check numbers that nobody uses."""
    certificate, rows = chosen
    others = (
        {"settings": {**certificate["settings"], "feedback": "pair"}},
        {"choices": {**certificate["choices"], "nominees": []}},
        {
            "bounds": {
                **certificate["bounds"],
                "shares_of_delta": {"upper": 0.1, "nominees": 0.1, "screening": 0.1, "clicks": 0.6, "contrasts": 0.1},
            }
        },
    )
    for other in others:
        assert failed(verify(forged(certificate, **other), rows)) & {"upper bound", "lower bounds"}, other


def test_verification_notices_pairs_that_the_plan_did_not_ask_for(plain: Certified) -> None:
    rows = copy.deepcopy(plain.rows)
    shown = [row for row in rows if row["kind"] == "impression"]
    first = shown[0]
    other = next(row for row in shown if {row["i"], row["j"]} != {first["i"], first["j"]})
    assert first["plan_version"] == other["plan_version"]
    first["sequence"], other["sequence"] = other["sequence"], first["sequence"]
    changed = verify(plain.certificate, rows)
    assert failed(changed) == {"handed out", "sequences", "impressions"}, "counts and outcomes are the same"
    assert any(f"plan {first['plan_version']}" in check.detail for check in changed if not check.holds)


def test_verification_of_another_numpy_compares_pairs_and_not_their_order(plain: Certified) -> None:
    other = forged(plain.certificate, versions={**plain.certificate["versions"], "numpy": "1.0"})
    rows = copy.deepcopy(plain.rows)
    shown = [row for row in rows if row["kind"] == "impression"]
    shown[0]["sequence"], shown[1]["sequence"] = shown[1]["sequence"], shown[0]["sequence"]
    assert "handed out" not in failed(verify(other, rows))
    last = max(row["plan_version"] for row in shown)
    asked = {
        tuple(pair[:2]) for row in rows if row["kind"] == "plan" and row["version"] == last for pair in row["handout"]
    }
    missing = next((i, j) for i in range(4) for j in range(i + 1, 4) if (i, j) not in asked)
    next(row for row in shown if row["plan_version"] == last).update(i=missing[0], j=missing[1])
    assert "handed out" in failed(verify(other, rows))


def test_verification_notices_a_changed_document(plain: Certified) -> None:
    changed = verify({**plain.certificate, "gap": 0.0}, plain.rows)
    assert failed(changed) == {"digest", "gap"}
    assert why(changed) == "the certificate was changed after it was written"


def test_verification_notices_a_forged_document(plain: Certified) -> None:
    certificate, rows = plain
    tight = {**certificate["settings"], "epsilon": 0.001}
    assert failed(verify(forged(certificate, settings=tight), rows)) == {"session", "verdict"}
    assert why(verify(forged(certificate, settings=tight), rows)).endswith("has another epsilon than the certificate")
    assert failed(verify(forged(certificate, i=2, j=3), rows)) == {"pair"}
    assert failed(verify(forged(certificate, pair=["ad-2", "ad-3"]), rows)) == {"pair"}, "the name is what people read"
    assert failed(verify(forged(certificate, gap=0.01), rows)) == {"gap"}
    for name, number in (("upper_of_pair", "upper bound"), ("lowest_of_others", "lower bounds")):
        bounds = {**certificate["bounds"], name: certificate["bounds"][name] + 0.01}
        assert failed(verify(forged(certificate, bounds=bounds), rows)) == {number}
    other = {**certificate["session"], "id": "another"}
    assert failed(verify(forged(certificate, session=other), rows)) == {"session", "impressions"}
    assert why(verify(forged(certificate, session=other), rows)).endswith("the certificate to session another")


def test_verification_notices_a_changed_log(plain: Certified, chosen: Certified) -> None:
    certificate, rows = plain
    outcome = plain.impressions[0]["outcome"]
    assert failed(verify(certificate, plain.but("impression", 0, outcome=1.0 - outcome))) == {"evidence", "impressions"}
    without_first = [row for row in rows if row.get("sequence") != 1]
    found = {"evidence", "handed out", "sequences", "impressions"}
    assert failed(verify(certificate, without_first)) == found
    on_first = next(k for k, row in enumerate(chosen.impressions) if row["clicked"] == 1)
    assert failed(verify(chosen.certificate, chosen.but("impression", on_first, clicked=2))) == {
        "evidence",
        "impressions",
    }


def test_verification_notices_an_answer_left_out_as_void(plain: Certified) -> None:
    dropped = {**plain.impressions[-1], "sequence": len(plain.impressions) + 1, "void": True, "not_shown": False}
    changed = verify(plain.certificate, [*plain.rows, dropped])
    assert "void" in failed(changed)
    assert f"impression {dropped['sequence']} was shown and answered" in " ".join(check.detail for check in changed)


def test_verification_notices_an_impression_that_was_open_below_the_watermark(plain: Certified) -> None:
    changed = verify(plain.certificate, plain.but("impression", 4, outcome=None, answered_at=None))
    assert failed(changed) >= {"final", "void", "impressions"}
    assert any("impression 5 is below the watermark" in check.detail for check in changed)


class TestChoices:
    """The first plan whose impressions count for a choice must remember it as it was, with all before it."""

    def altered(self, chosen: Certified, kind: str, change: Any) -> set[str]:
        choices = copy.deepcopy(chosen.certificate["choices"])
        choices[kind] = change(choices[kind])
        return failed(verify(forged(chosen.certificate, choices=choices), chosen.rows))

    def test_changed_after_the_fact(self, chosen: Certified) -> None:
        assert "choices" in self.altered(chosen, "nominees", lambda some: [{**some[0], "guess": 0.3}, some[1]])
        assert "choices" in self.altered(chosen, "blanks", lambda some: [{**some[0], "item": 2}])

    def test_made_earlier_than_it_was(self, chosen: Certified) -> None:
        """It would count impressions that it was chosen by."""
        assert "choices" in self.altered(chosen, "nominees", lambda some: [{**some[0], "version": 1}, some[1]])

    def test_an_earlier_one_left_out(self, chosen: Certified) -> None:
        """The second would pay for the first place."""
        assert "choices" in self.altered(chosen, "nominees", lambda some: some[1:])

    def test_invented(self, chosen: Certified) -> None:
        invented = {"version": 1, "factor": [[0.5]] * 4}
        assert "choices" in self.altered(chosen, "guess", lambda _: invented)

    def test_made_by_the_plan_that_certified(self, chosen: Certified) -> None:
        """Even if the log agrees: nothing issued after it can have been counted."""
        certificate, last = chosen.certificate, chosen.certificate["plan_version"]
        choices = copy.deepcopy(certificate["choices"])
        choices["nominees"].append({"version": last, "pair": [0, 1], "guess": 0.2})
        plans = [row for row in chosen.rows if row["kind"] == "plan"]
        memory = json.loads(plans[-1]["memory"])
        rows = chosen.but("plan", -1, memory=json.dumps({**memory, "choices": choices}))
        assert plans[-1]["version"] == last
        later = {**plans[-1], "version": last + 1, "memory": json.dumps({**memory, "choices": choices})}
        checks = verify(forged(certificate, choices=choices), [*rows, later])
        (line,) = (check.detail for check in checks if check.name == "choices")
        assert line == f"a choice was used from plan {last + 1} on, but plan {last} made the verdict"

    def test_a_memory_that_cannot_be_read(self, chosen: Certified) -> None:
        used_from = chosen.certificate["choices"]["nominees"][0]["version"] + 1
        for place in range(used_from - 1):
            assert failed(verify(*self.stored_so(chosen, place))) == set(), "nothing rests on it"
        assert failed(verify(*self.stored_so(chosen, used_from - 1))) == {"choices"}

    def stored_so(self, chosen: Certified, place: int) -> Certified:
        return certify_again(Certified(chosen.certificate, chosen.but("plan", place, memory="?")))

    def test_first_remembered_by_the_plan_that_made_it_or_the_one_before_but_no_later(self, chosen: Certified) -> None:
        """A choice is used from the plan after its version on: that plan must have it, its own may."""
        stated = chosen.certificate["choices"]
        used_from = stated["nominees"][0]["version"] + 1
        plans = [row for row in chosen.rows if row["kind"] == "plan"]

        def without_it_until(version: int) -> bool:
            rows = copy.deepcopy(plans)
            for row in rows:
                memory = json.loads(row["memory"])
                if row["version"] < version:
                    memory["choices"]["nominees"] = []
                row["memory"] = json.dumps(memory)
            return not wrong_choices(chosen.certificate, rows)

        assert without_it_until(used_from)
        assert not without_it_until(used_from + 1)


class TestOutlooks:
    """What plans said they would show decides what was staked: it must be in the log as it was."""

    def altered(self, compared: Certified, **changes: Any) -> set[str]:
        choices = copy.deepcopy(compared.certificate["choices"])
        choices["outlooks"][0] |= changes
        return failed(verify(forged(compared.certificate, choices=choices), compared.rows))

    def test_the_certificate_rests_on_them(self, compared: Certified) -> None:
        assert failed(verify(*compared)) == set()
        assert len(compared.certificate["choices"]["outlooks"]) > 1
        without = {**compared.certificate["choices"], "outlooks": []}
        assert {"choices", "gap", "lower bounds"} <= failed(
            verify(forged(compared.certificate, choices=without), compared.rows)
        )

    def test_changed_after_the_fact(self, compared: Certified) -> None:
        outlook = compared.certificate["choices"]["outlooks"][0]
        assert {"choices", "gap"} <= self.altered(compared, planned=[5 * n for n in outlook["planned"]])
        assert "choices" in self.altered(compared, values=[min(0.9, value + 0.1) for value in outlook["values"]])
        assert "choices" in self.altered(compared, version=outlook["version"] - 1)

    @pytest.mark.parametrize("change", [{"planned": []}, {"unclicked": [0.0, 0.5, 0.5, 0.5]}])
    def test_impossible(self, compared: Certified, change: dict[str, list[float]]) -> None:
        """As the command tells: such a document is not one of ours."""
        with pytest.raises(ValueError, match="outlook"):
            self.altered(compared, **change)


class TestShares:
    def test_a_choice_without_a_share(self, chosen: Certified) -> None:
        bounds = {**chosen.certificate["bounds"], "shares_of_delta": {"upper": 0.1, "direct": 0.9}}
        assert failed(verify(forged(chosen.certificate, bounds=bounds), chosen.rows)) == {"shares", "bounds"}

    def test_changed_after_the_fact(self, chosen: Certified) -> None:
        shares = {**chosen.certificate["bounds"]["shares_of_delta"], "nominees": 0.1, "direct": 0.5}
        bounds = {**chosen.certificate["bounds"], "shares_of_delta": shares}
        assert "shares" in failed(verify(forged(chosen.certificate, bounds=bounds), chosen.rows))

    def test_changed_on_the_way(self, chosen: Certified) -> None:
        plans = [row for row in chosen.rows if row["kind"] == "plan"]
        report = {**plans[0]["report"], "shares_of_delta": {"upper": 0.5, "direct": 0.5}}
        changed = Certified(chosen.certificate, chosen.but("plan", 0, report=report))
        assert failed(verify(*changed)) == {"shares", "plans"}
        assert failed(verify(*certify_again(changed))) == {"shares"}

    @pytest.mark.parametrize("direct", [0.5, -0.4])
    def test_more_than_there_is_or_less_than_nothing(self, chosen: Certified, direct: float) -> None:
        shares = {**chosen.certificate["bounds"]["shares_of_delta"], "direct": abs(direct), "clicks": min(direct, 0.2)}
        rows = copy.deepcopy(chosen.rows)
        for row in rows:
            if row["kind"] == "plan":
                row["report"]["shares_of_delta"] = shares
        bounds = {**chosen.certificate["bounds"], "shares_of_delta": shares}
        assert "shares" in failed(verify(forged(chosen.certificate, bounds=bounds), rows))

    def test_the_certifying_plan_must_be_in_the_log(self, plain: Certified) -> None:
        last = plain.certificate["plan_version"]
        found = verify(plain.certificate, [row for row in plain.rows if row.get("version") != last])
        assert failed(found) == {"shares", "plans"}
        assert why(found) == f"plan {last} is missing"


class TestBoundG:
    """Bound G is removed. Version 0.1.0 wrote its keys into every certificate, empty where it was not used."""

    def old(self, certified: Certified, *, gram: float = 0.0, **choices: Any) -> Certified:
        """Returns what version 0.1.0 would have written."""
        certificate, rows = of_schema_2(certified)
        unused = {"landmarks": [], "gram_refuted": False, **choices}
        certificate["choices"] |= unused
        certificate["bounds"]["shares_of_delta"]["gram"] = gram
        for row in rows:
            if row["kind"] == "plan":
                memory = json.loads(row["memory"])
                memory["choices"] |= unused
                row |= {"memory": json.dumps(memory)}
                row["report"]["shares_of_delta"]["gram"] = gram
        return Certified(forged(certificate), rows)

    def test_a_certificate_that_never_used_it_verifies(self, plain: Certified, chosen: Certified) -> None:
        for certified in (plain, chosen):
            assert failed(verify(*self.old(certified))) == set()
            assert failed(verify(of_schema_2(certified).certificate, self.old(certified).rows)) == set()

    @pytest.mark.parametrize(
        "used", [{"gram": 0.1}, {"landmarks": [{"version": 1, "items": [0, 1], "batches": []}]}, {"gram_refuted": True}]
    )
    def test_a_certificate_that_uses_it_is_refused_with_the_reason(
        self, chosen: Certified, used: dict[str, Any]
    ) -> None:
        checks = verify(*self.old(chosen, **used))
        assert failed(checks) == {"bounds"}, "all else is still checked"
        assert "the certificate uses bound G (rank), which this version does not have" in why(checks)
        assert why(checks).endswith("verify it with version 0.1.0")

    def test_a_log_that_divides_delta_with_it_is_another_one(self, chosen: Certified) -> None:
        assert failed(verify(of_schema_2(chosen).certificate, self.old(chosen, gram=0.1).rows)) == {"shares"}


@pytest.mark.parametrize("since", ["clicks", "contrasts"])
def test_certificates_of_earlier_bounds_by_clicks_are_not_judged(since: str, chosen: Certified) -> None:
    """Their share was called screening, then clicks; recomputed they would say something else."""
    shares = chosen.certificate["bounds"]["shares_of_delta"]
    earlier = {name: part for name, part in shares.items() if name not in {since, "contrasts"}}
    bounds = {**chosen.certificate["bounds"], "shares_of_delta": earlier}
    (check,) = (one for one in verify(forged(chosen.certificate, bounds=bounds), chosen.rows) if one.name == "bounds")
    assert not check.holds
    assert "with the version that wrote it" in check.detail
