"""Late, lost, duplicated and reordered responses: the distribution of each fault, and that faults compose."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from app.simulation.population import Population
from app.simulation.users import Impression, Response, Users
from tests.simulation.delivery import Delayed, Duplicated, Immediate, InvalidDelivery, Lossy, Reordered, Responder

SHOWN = Impression("ticket", 0, 1, 100.0)
N = 10_000


@dataclass(frozen=True)
class Always:
    """A responder with one fixed reward, which draws nothing."""

    reward: float
    copies: int = 1

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Response]:  # noqa: ARG002
        return [Response(impression.ticket, self.reward, None, impression.issued_at)] * self.copies


CLICK, NO_CLICK = Always(1.0), Always(0.0)


def many(responder: Responder, seed: int) -> list[list[Response]]:
    rng = np.random.default_rng(seed)
    return [responder.respond(SHOWN, rng) for _ in range(N)]


def test_immediate_responds_once_without_delay() -> None:
    users = Users(Population.mixture([1.0], [[1.0, 0.0]]))
    responses = Immediate(users).respond(SHOWN, np.random.default_rng(1))
    assert responses == [Response("ticket", 1.0, (0,), 100.0)]


@pytest.mark.parametrize(("inner", "mean"), [(CLICK, 2.0), (NO_CLICK, 30.0), (Always(0.3), 2.0)])
def test_delay_is_exponential_with_the_mean_of_the_outcome(inner: Responder, mean: float) -> None:
    delays = np.array([responses[0].arrives_at - 100.0 for responses in many(Delayed(inner, 2.0, 30.0), seed=1)])
    assert delays.min() > 0
    assert delays.mean() == pytest.approx(mean, abs=6 * mean / math.sqrt(N))
    median = mean * math.log(2)  # of the exponential; a uniform or constant delay has another
    assert np.mean(delays < median) == pytest.approx(0.5, abs=6 * 0.5 / math.sqrt(N))


def test_clicks_and_no_clicks_are_lost_equally_often() -> None:
    for inner in (CLICK, NO_CLICK):
        through = sum(len(responses) for responses in many(Lossy(inner, 0.2), seed=2)) / N
        assert through == pytest.approx(0.8, abs=6 * math.sqrt(0.16 / N))


def test_loss_may_depend_on_the_outcome() -> None:
    assert sum(len(responses) for responses in many(Lossy(NO_CLICK, 0.2, 0.7), seed=3)) / N == pytest.approx(
        0.3, abs=6 * math.sqrt(0.21 / N)
    )
    assert sum(len(responses) for responses in many(Lossy(CLICK, 0.2, 0.7), seed=3)) / N == pytest.approx(
        0.8, abs=6 * math.sqrt(0.16 / N)
    )
    assert CLICK.respond(SHOWN, np.random.default_rng(1)) == Lossy(CLICK, 0.0, 1.0).respond(
        SHOWN, np.random.default_rng(1)
    )


def test_a_duplicate_is_the_same_response_later() -> None:
    batches = many(Duplicated(CLICK, 0.25, 7.0), seed=4)
    doubled = [responses for responses in batches if len(responses) == 2]
    assert len(doubled) / N == pytest.approx(0.25, abs=6 * math.sqrt(0.1875 / N))
    assert all(
        responses == [Response("ticket", 1.0, None, 100.0), Response("ticket", 1.0, None, 107.0)]
        for responses in doubled
    )
    assert all(len(responses) in {1, 2} for responses in batches)


def test_reordering_is_a_uniform_delay() -> None:
    late = np.array([responses[0].arrives_at - 100.0 for responses in many(Reordered(CLICK, 4.0), seed=5)])
    assert late.min() >= 0
    assert 3.9 < late.max() <= 4.0
    assert late.mean() == pytest.approx(2.0, abs=6 * 4 / math.sqrt(12 * N))
    assert late.var() == pytest.approx(16 / 12, rel=0.06)


def test_faults_with_probability_zero_and_one() -> None:
    assert not any(many(Lossy(CLICK, 1.0), seed=6))
    assert all(len(responses) == 1 for responses in many(Lossy(CLICK, 0.0), seed=6))
    assert all(len(responses) == 2 for responses in many(Duplicated(CLICK, 1.0, 0.0), seed=6))
    assert all(responses[0].arrives_at == 100.0 for responses in many(Delayed(CLICK, 0.0, 5.0), seed=6))


def test_faults_compose_from_the_inside_out() -> None:
    rng, reference = np.random.default_rng(7), np.random.default_rng(7)
    responder = Reordered(Delayed(Duplicated(NO_CLICK, 1.0, 10.0), 1.0, 3.0), 5.0)
    arrivals = [response.arrives_at for response in responder.respond(SHOWN, rng)]
    reference.random()  # whether to duplicate
    delays = [3.0 * reference.exponential(), 3.0 * reference.exponential()]
    jitters = [5.0 * reference.random(), 5.0 * reference.random()]
    assert arrivals == pytest.approx([100 + delays[0] + jitters[0], 110 + delays[1] + jitters[1]])


@pytest.mark.parametrize(
    ("responder", "kind"),
    [
        (Delayed(Always(1.0, copies=2), 0.0, 0.0), "exponential"),
        (Lossy(Always(1.0, copies=2), 0.0), "uniform"),
        (Duplicated(Always(1.0, copies=2), 0.0, 1.0), "uniform"),
        (Reordered(Always(1.0, copies=2), 0.0), "uniform"),
    ],
)
def test_there_is_one_draw_per_response_even_where_its_value_does_not_matter(responder: Responder, kind: str) -> None:
    rng, reference = np.random.default_rng(8), np.random.default_rng(8)
    assert len(responder.respond(SHOWN, rng)) == 2
    for _ in range(2):
        reference.exponential() if kind == "exponential" else reference.random()
    assert rng.random() == reference.random()


def test_the_same_seed_gives_the_same_responses() -> None:
    users = Users(Population.mixture([0.5, 0.5], [[0.9, 0.1], [0.2, 0.3]]))
    responder = Reordered(Lossy(Duplicated(Delayed(Immediate(users), 1.0, 9.0), 0.3, 2.0), 0.2), 1.0)
    assert many(responder, seed=9) == many(responder, seed=9)
    assert many(responder, seed=9) != many(responder, seed=10)


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: Delayed(CLICK, -1.0, 1.0), "click_seconds"),
        (lambda: Delayed(CLICK, 1.0, math.inf), "no_click_seconds"),
        (lambda: Delayed(CLICK, 1.0, math.nan), "no_click_seconds"),
        (lambda: Lossy(CLICK, 1.1), "probability"),
        (lambda: Lossy(CLICK, math.nan), "probability"),
        (lambda: Lossy(CLICK, 0.1, -0.1), "no_click_probability"),
        (lambda: Duplicated(CLICK, -0.1, 1.0), "probability"),
        (lambda: Duplicated(CLICK, 0.1, -1.0), "lag_seconds"),
        (lambda: Reordered(CLICK, -1.0), "window_seconds"),
    ],
)
def test_invalid_settings_name_the_field(build: Callable[[], Responder], field: str) -> None:
    with pytest.raises(InvalidDelivery) as caught:
        build()
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
