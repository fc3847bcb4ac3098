"""The policies by name: the paper's, stronger baselines, and the catalogue of them."""

from app.engine.policies.explore_fit_verify import ExploreFitVerify
from app.engine.policies.lil_ucb import LilUcb
from app.engine.policies.lrmc import Lrmc
from app.engine.policies.lucb import Lucb
from app.engine.policies.median_elimination import MedianElimination
from app.engine.policies.naive import Naive
from app.engine.policies.plans import Plans
from app.engine.policies.policy import Policy
from app.engine.policies.row_mean_halving import RowMeanHalving
from app.engine.policies.rplans import Rplans
from app.engine.policies.rplans_literal import RplansLiteral, RplansLiteralSharper
from app.engine.policies.sequential_halving import SequentialHalving
from app.engine.policies.successive_elimination import SuccessiveElimination
from app.engine.problem import InvalidProblem, Model, Problem

POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Rplans(),
        Plans(),
        RplansLiteral(),
        RplansLiteralSharper(),
        Naive(),
        SuccessiveElimination(),
        MedianElimination(),
        LilUcb(),
        Lrmc(),
        Lucb(),
        SequentialHalving(),
        RowMeanHalving(),
        ExploreFitVerify(),
    )
}


DEFAULT_POLICIES = {Model.STOCHASTIC: "rplans", Model.DETERMINISTIC: "plans"}


def policy_named(name: str) -> Policy:
    """Returns the policy with this name; raises InvalidProblem listing the names there are."""
    if name not in POLICIES:
        raise InvalidProblem("policy", f'no policy is called "{name}"; there are {", ".join(sorted(POLICIES))}')
    return POLICIES[name]


def check_new(policy: Policy, problem: Problem) -> None:
    """Raises InvalidProblem, naming the field to change, if a new session of this policy cannot have these settings.

    As `Policy.check`, and a stated rank is refused if the policy would ignore it. Sessions stored by version 0.1.0 may
    have one; they continue, so `plan` does not call this.
    """
    policy.check(problem)
    if problem.rank is not None and not policy.uses_rank:
        takers = ", ".join(sorted(name for name, one in POLICIES.items() if one.uses_rank))
        raise InvalidProblem("rank", f'"{policy.name}" does not use a rank: leave it out ("auto"); {takers} take one')
