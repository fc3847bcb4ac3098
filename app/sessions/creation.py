"""From a request for a session to settings that fit together, or an error that names the field to change."""

import secrets

from app.engine.policies import DEFAULT_POLICIES, check_new, policy_named
from app.engine.problem import InvalidProblem, Model, SelfPairs
from app.errors import InvalidSession
from app.sessions.model import Item, Settings
from app.wire.goal import requested_goal, settings_of
from app.wire.sessions import SessionCreate
from app.wire.vocabulary import FeedbackKind, MissingFeedback


def settle(new: SessionCreate) -> Settings:
    """Returns complete settings; raises InvalidSession naming the field and what is allowed.

    The limits of single settings are in `app.wire.session_settings`; here are the rules for settings together.
    """
    _check_together(new)
    given = {name: value for name, value in new if name in Settings.model_fields and value is not None}
    try:
        settings = Settings.model_validate({**_fitting(new), **given})
        check_new(policy_named(settings.policy), settings.problem(len(new.items), new.budget))
    except InvalidProblem as error:
        raise InvalidSession(error.field, error.advice) from error
    return settings


def items_of(new: SessionCreate) -> tuple[Item, ...]:
    """Returns the items to store; one without a label has its id as label."""
    return tuple(Item(item.id, item.label or item.id) for item in new.items)


def _fitting(new: SessionCreate) -> dict[str, object]:
    """Returns the defaults that depend on other settings, or on chance. Raises InvalidProblem for two goals."""
    deterministic = new.model is Model.DETERMINISTIC
    return {
        "policy": DEFAULT_POLICIES[new.model],
        **settings_of(requested_goal(new.epsilon, new.relative_epsilon)),
        "self_pairs": SelfPairs.EXPLORE if deterministic else SelfPairs.NEVER,
        # With a window only clicks are reported; without one a missing answer is a lost one.
        "missing_feedback": MissingFeedback.NO_CLICK if new.attribution_window_seconds > 0 else MissingFeedback.VOID,
        "seed": secrets.randbelow(2**31),
    }


def _check_together(new: SessionCreate) -> None:
    """Raises InvalidSession if the settings of waiting for answers do not fit together, or not with the model."""
    window, deterministic = new.attribution_window_seconds, new.model is Model.DETERMINISTIC
    if deterministic and window > 0:
        raise InvalidSession("attribution_window_seconds", "must be 0 in the deterministic model: answers are values")
    if new.missing_feedback is MissingFeedback.NO_CLICK and window == 0:
        # Answers would be final at once and silence only later: clicks would count before non-clicks.
        raise InvalidSession("missing_feedback", 'can be "no_click" only with attribution_window_seconds above 0')
    if deterministic and new.feedback is FeedbackKind.ITEMS:
        raise InvalidSession("feedback", 'must be "pair" in the deterministic model, where an answer is a number')
