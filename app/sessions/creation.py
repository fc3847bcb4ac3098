"""From what a caller asks for to settings that fit together, or an error that names the field to change."""

import math
import secrets
from dataclasses import dataclass

from app.engine.policies import DEFAULT_POLICIES, check_new, policy_named
from app.engine.problem import InvalidProblem, Model, SelfPairs
from app.errors import InvalidSession
from app.sessions.model import FeedbackKind, Item, MissingFeedback, Settings

MAX_ITEMS = 5000
LONGEST_WAIT_SECONDS = 30 * 24 * 3600


@dataclass(frozen=True, kw_only=True)
class NewSession:
    """What a caller asks for; None means the default that fits the rest."""

    items: tuple[Item, ...]
    name: str = ""
    model: Model = Model.STOCHASTIC
    feedback: FeedbackKind = FeedbackKind.PAIR
    policy: str | None = None
    rank: int | None = None
    epsilon: float = 0.05
    delta: float = 0.05
    self_pairs: SelfPairs | None = None
    explore_share: float = 1.0
    budget: int | None = None
    attribution_window_seconds: float = 0
    ticket_ttl_seconds: float = 300
    missing_feedback: MissingFeedback | None = None
    seed: int | None = None


def settle(new: NewSession) -> Settings:
    """Returns complete settings; raises InvalidSession naming the field and what is allowed."""
    _check_items(new.items)
    _check_waiting(new)
    if not 0 < new.explore_share <= 1:
        raise InvalidSession("explore_share", f"must be above 0 and at most 1, got {new.explore_share}")
    deterministic = new.model is Model.DETERMINISTIC
    if deterministic and new.feedback is FeedbackKind.ITEMS:
        raise InvalidSession("feedback", 'must be "pair" in the deterministic model, where an answer is a number')
    settings = Settings(
        model=new.model,
        feedback=new.feedback,
        policy=new.policy or DEFAULT_POLICIES[new.model],
        rank=new.rank,
        epsilon=new.epsilon,
        delta=new.delta,
        self_pairs=new.self_pairs or (SelfPairs.EXPLORE if deterministic else SelfPairs.NEVER),
        explore_share=new.explore_share,
        attribution_window_seconds=float(new.attribution_window_seconds),
        ticket_ttl_seconds=float(new.ticket_ttl_seconds),
        missing_feedback=new.missing_feedback or _default_missing(new),
        seed=secrets.randbelow(2**31) if new.seed is None else new.seed,
    )
    try:
        check_new(policy_named(settings.policy), settings.problem(len(new.items), new.budget))
    except InvalidProblem as error:
        raise InvalidSession(error.field, error.advice) from error
    return settings


def _default_missing(new: NewSession) -> MissingFeedback:
    """Returns what silence means unless said: with a window only clicks are reported, without one it is a loss."""
    return MissingFeedback.NO_CLICK if new.attribution_window_seconds > 0 else MissingFeedback.VOID


def _check_items(items: tuple[Item, ...]) -> None:
    if not 2 <= len(items) <= MAX_ITEMS:
        raise InvalidSession("items", f"must be 2 to {MAX_ITEMS} items, got {len(items)}")
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise InvalidSession("items", f'ids must be different, "{item.id}" comes twice')
        seen.add(item.id)


def _check_waiting(new: NewSession) -> None:
    """Raises if the settings of waiting for answers do not fit together."""
    window, ttl = new.attribution_window_seconds, new.ticket_ttl_seconds
    if not (math.isfinite(window) and 0 <= window <= LONGEST_WAIT_SECONDS):
        raise InvalidSession("attribution_window_seconds", f"must be 0 to {LONGEST_WAIT_SECONDS}, got {window}")
    if not (math.isfinite(ttl) and 0 < ttl <= LONGEST_WAIT_SECONDS):
        raise InvalidSession("ticket_ttl_seconds", f"must be above 0 and at most {LONGEST_WAIT_SECONDS}, got {ttl}")
    if new.model is Model.DETERMINISTIC and window > 0:
        raise InvalidSession("attribution_window_seconds", "must be 0 in the deterministic model: answers are values")
    if new.missing_feedback is MissingFeedback.NO_CLICK and window == 0:
        # Answers would be final at once and silence only later: clicks would count before non-clicks.
        raise InvalidSession("missing_feedback", 'can be "no_click" only with attribution_window_seconds above 0')
