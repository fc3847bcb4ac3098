"""`rplans`, the default policy: the structure of L decides what to show, bounds decide what is proven.

R-PLANS (Bhargava, Ganti, Nowak) learns a few columns of a low-rank matrix well and imputes the rest. Imputed values
prove nothing by themselves, so here the same idea is used twice. A low-rank fit estimates every pair: which pairs may
lead, and what each pair would cost to settle. And one shared column, that of a blank (bound F) or the clicks on items
(bound I), settles most pairs at the cost of K entries. The rest goes to direct samples of the pairs that decide.
"""

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np

from app.engine.allocation.batch import STALLED, Batch, first_look
from app.engine.allocation.contrasts import MAX_RIVALS, outlook_of
from app.engine.allocation.estimates import PairEstimates, rank_one
from app.engine.allocation.screens import Levels, Screen, best_levels, by_item_clicks, planned_blank, through_blank
from app.engine.allocation.targets import ProofTarget, TargetSelection
from app.engine.arrays import FloatArray, IntArray, Pair, n_pairs, pair_at, pair_number
from app.engine.choices import DIGITS, Blank, Guess, Nominee, clip_guess
from app.engine.delta_shares import Shares, portion
from app.engine.demand import Demand
from app.engine.memory import Notes, int_list
from app.engine.policies.explore_fit_verify import NOTE as RUN_ON_A_BUDGET
from app.engine.policies.explore_fit_verify import divides, explore_fit_verify
from app.engine.policies.policy import FIRST_BATCH_PER_ITEM, GUESSED_AT, Policy, Proposal, Situation
from app.engine.problem import Problem

GROWTH = 0.15
"""Batches are smaller than in other policies: the leader and the threshold change, and that changes all costs."""

WORTH_SCREENING = 0.8
"""A blank is opened if the plan with it costs less than this part of direct samples alone."""

PLAY_OFF_ITEMS = 8
PLAY_OFF_PULLS = 30
FIRST_ROUND_ITEMS = 32
PLAY_OFF_PART = 0.1
"""In the play-off (the stored name of this phase) the `PLAY_OFF_ITEMS` least clicked items are shown with each other,
each pair `PLAY_OFF_PULLS` times, and the least clicked of them becomes the blank. If half of `PLAY_OFF_PART` of the
computed cost is more, that is spent instead, and as much on a first round of `FIRST_ROUND_ITEMS` items before: rare
clicks need many samples. (24 tuning sessions of ads20 K = 50 took .91 +- .04 times as many impressions as at a fifth of
this part; twice this part gained nothing more: 1.03 +- .03, 60 sessions of five instances.)"""

PLAY_OFF_GROWTH = 5
"""A round has at most this many times the impressions so far: the computed cost may come from a few clicks, or none."""

FIRST_ROUND_FROM = 1.5
"""There is a first round if it has this many times the impressions of the smallest play-off."""

NOMINATE_AT = 0.1
"""A leader is nominated once it has this part of the samples it will need. Samples before the nomination do not count
for its own upper bound, later ones prove more; a wrong nomination costs a tenth of the leader's samples."""

MIN_SAMPLES_BEFORE_NOMINATION = 20

DIRECT_PART_WITH_ITEM_CLICKS = 0.5

CONTRAST_PART = 0.7
"""The largest part of a batch for contrasts of leader and rivals, while shared entries need the rest."""

MAX_FIRST_LOOK_PART = 0.25
"""If the first demand takes more than this part of the budget, too little is left for a proof."""

PAIRS_FACTOR, PAIRS_FACTOR_BEFORE_NOMINATION = 1.7, 2.1
ITEMS_FACTOR, ITEMS_FACTOR_BEFORE_NOMINATION = 1.45, 1.8
"""A session needs about this many times the computed cost (with item clicks, the cost with setbacks), more while its
leader is not nominated: leaders change, and every change costs. Fitted to `tests.statistics.forecasts`: pairs to 90
sessions (seeds 0 to 5), items to 50 of 10 to 200 items (seeds 0 to 3)."""

SETBACK = 0.2
"""In a forecast each of J open bets lacks `SETBACK` * log(1 + J) more log wealth than it does now. A plan shows as much
as wins on average what its bets lack. But log wealth is a random walk: where a plan should win m, it wins m +-
sqrt(2m). So a bet that lacks little loses nearly as often as it wins, and the unluckiest of J bets keeps the session
open. J is at most `MAX_RIVALS`, the bets of one plan."""

GIVE_UP_FACTOR = 1.5
"""The proof is given up if its computed cost is more than this many times what is left of the budget. Of 20 sessions
with 1.3 times the budget that they need, none gave up; with exactly what they need, 2; at half this value 1 and 5."""


class Rplans(Policy):
    """Explores, then makes batch after batch: choose a target, screen, nominate, show the pairs that decide."""

    name: ClassVar[str] = "rplans"
    guesses: ClassVar[bool] = True

    def shares(self, problem: Problem) -> Shares:
        """Returns shares by how much each bound settles: most pairs by D, F or I; one pair needs an upper bound."""
        if problem.item_clicks:
            return Shares(upper=0.02, nominees=0.08, direct=0.15, clicks=0.3, contrasts=0.45)
        return Shares(upper=0.02, nominees=0.13, direct=0.5, screening=0.35)

    def propose(self, now: Situation) -> Proposal:
        """Returns the next batch: for a proof, or for the best guess if the budget is too small for a proof.

        Plan 1 decides, by the budget, whether plan 2 makes a guess. If outcomes decided it, intervals with and without
        a guess would have to hold, and both would spend the same share of delta.
        """
        if now.version == GUESSED_AT and RUN_ON_A_BUDGET not in now.notes:
            guess = Guess.of(now.version - 1, _rank_one(now)[:, None])
            now = replace(now, choices=replace(now.choices, guess=guess))
        proposal = self._propose(now)
        return replace(proposal, choices=now.choices) if proposal.choices is None else proposal

    def _propose(self, now: Situation) -> Proposal:
        problem, budget = now.problem, now.problem.budget
        if budget is not None and divides(now.notes, budget):
            return explore_fit_verify(now, budget)
        if now.evidence.samples == 0:
            look = first_look(problem.n_items, now.rng, item_clicks=problem.item_clicks)
            if budget is not None and look.total > MAX_FIRST_LOOK_PART * budget:
                return explore_fit_verify(now, budget)
            return Proposal(look, Pair(0, 1), "explore")
        refinement = _Refinement(now, self.shares(problem))
        proposal = refinement.proposal()
        worth_dividing = budget is not None and now.room > FIRST_BATCH_PER_ITEM * problem.n_items
        if budget is not None and worth_dividing and refinement.cost > GIVE_UP_FACTOR * now.room:
            return explore_fit_verify(now, budget)
        return proposal


def _rank_one(now: Situation) -> FloatArray:
    """Returns the estimated probability that each item is not clicked, (K,)."""
    return by_item_clicks(now.evidence, None, 1.0).x if now.problem.item_clicks else rank_one(now.evidence)


def _nearest(target: ProofTarget, some: IntArray) -> tuple[IntArray, IntArray]:
    """Returns the open pairs with the lowest estimates, as many as a plan bets on, and the rest of `some`."""
    order = some[np.argsort(target.open_pairs.mean[some], kind="stable")]
    return order[:MAX_RIVALS], order[MAX_RIVALS:]


class _Refinement:
    """One plan after the first demand."""

    def __init__(self, now: Situation, shares: Shares) -> None:
        self.now = now
        self.shares = shares
        self.x = _rank_one(now)
        self.choices = now.choices
        items = now.evidence.item_clicks() if now.problem.item_clicks else None
        estimates = PairEstimates(now.evidence, self.x[:, None], self.choices.guess, items)
        self.targets = TargetSelection(
            now.problem,
            now.evidence,
            now.assessment,
            estimates,
            self.choices,
            shares,
            self._screen() if now.problem.item_clicks else None,
            now.rng,
        )
        self.notes: Notes = {key: value for key, value in now.notes.items() if key != RUN_ON_A_BUDGET}
        self.phase = "refine"
        self.cost = 0.0  # computed impressions to certification, if all goes as estimated; set by `proposal`

    def proposal(self) -> Proposal:
        """Returns what to show, and the choices made for it."""
        now, targets = self.now, self.targets
        batch = Batch(now.batch(GROWTH), now.problem.n_items)
        screen = self._screen()
        rough = targets.rough_target()
        at_first = best_levels(screen, targets.pairs_to_screen(screen, rough))
        worth = self._has_screen or at_first.cost < WORTH_SCREENING * float(
            (rough.direct * rough.open_pairs.weight).sum()
        )
        target = targets.best_target(screen if worth else None, at_first.e)
        if worth and not self._has_screen:
            screen = self._open_blank(screen, batch, at_first.cost)
        pairs = target.open_pairs
        levels: Levels | None = best_levels(screen, targets.pairs_to_screen(screen, target)) if worth else None
        unsettled = np.ones(len(pairs.index), dtype=np.bool_) if levels is None else ~levels.settled
        cost = target.leader_need + (float((target.direct * pairs.weight).sum()) if levels is None else levels.cost)
        nominated = self._nominate(target)
        for_leader = target.leader_need if nominated else self._samples_before_nomination(target)
        batch.leader(target, for_leader, nominated=nominated)
        batch.search(target)
        todo, all_of_it = np.flatnonzero(unsettled), cost <= batch.size
        contrasting = nominated and self.shares.contrasts > 0
        if contrasting:
            rivals, todo = _nearest(target, todo)
            wanted = batch.contrasts(targets.leader_and_rivals(target, rivals), CONTRAST_PART * batch.left)
            cost += wanted - float(target.direct[rivals].sum())  # more accurate than the cost rival by rival
        if now.problem.item_clicks:  # direct samples count for both their items too, so they come first
            batch.direct(target, todo, 1.0 if all_of_it else DIRECT_PART_WITH_ITEM_CLICKS)
        if levels is not None and self._has_screen:
            batch.shared(screen, levels, now.version, all_of_it=all_of_it)
        if not now.problem.item_clicks:
            batch.direct(target, todo)
        if contrasting:
            batch.nominee(target)
        batch.rest_to_leader(target, for_leader)
        if batch.left > STALLED * batch.size:
            batch.lowest_bounds(now.assessment.contenders, now.assessment.lower)
        diagnostics = {
            "width": target.width,
            "threshold": target.threshold,
            "leader_need": target.leader_need,
            "open_pairs": float(pairs.weight.sum()),
            "settled_by_screening": float(0 if levels is None else pairs.weight[levels.settled].sum()),
            "nominees": float(len(self.choices.nominees)),
            **{f"for_{purpose}": count for purpose, count in batch.purposes.items()},
        }
        demand = batch.demand()
        if contrasting:
            self._add_outlook(target, demand)
        self.cost = cost
        forecast = max(self._forecast(target, screen, nominated=nominated), float(demand.total))
        pair = pair_at(target.leader, now.problem.n_items)
        return Proposal(demand, pair, self.phase, self.notes, diagnostics, self.choices, forecast)

    def _forecast(self, target: ProofTarget, screen: Screen, *, nominated: bool) -> float:
        """Returns how many impressions the proof will need, with leaders that change and bets that lose."""
        if not self.shares.contrasts:
            return self.cost * (PAIRS_FACTOR if nominated else PAIRS_FACTOR_BEFORE_NOMINATION)
        cost = self._cost_with_setbacks(target, screen, nominated=nominated)
        return cost * (ITEMS_FACTOR if nominated else ITEMS_FACTOR_BEFORE_NOMINATION)

    def _cost_with_setbacks(self, target: ProofTarget, screen: Screen, *, nominated: bool) -> float:
        bets = min(len(target.open_pairs.index), MAX_RIVALS)
        target = self.targets.with_setbacks(target, SETBACK * math.log1p(bets))
        levels = best_levels(screen, self.targets.pairs_to_screen(screen, target))
        # An impression counts for both its items, but near the end few items need samples and their partners do not.
        one_item_each = (1 - screen.cost) * float(levels.extra.sum())
        cost = target.leader_need + levels.cost + one_item_each
        rivals, _ = _nearest(target, np.flatnonzero(~levels.settled))
        if nominated and len(rivals):
            together = float(self.targets.leader_and_rivals(target, rivals).allocation().sum())
            cost += together - float(target.direct[rivals].sum())
        return cost

    @property
    def _has_screen(self) -> bool:
        return self.now.problem.item_clicks or bool(self.choices.blanks)

    def _screen(self) -> Screen:
        """Returns the present screen, or the one that the least clicked item would give."""
        delta, blanks = self.now.problem.delta, self.choices.blanks
        if self.now.problem.item_clicks:
            return by_item_clicks(self.now.evidence, self.choices.guess, math.log(1 / (self.shares.clicks * delta)))
        log_level = math.log(1 / portion(self.shares.screening * delta, max(len(blanks), 1)))
        if blanks:
            return through_blank(self.now.evidence, blanks[-1], self.x, log_level)
        return planned_blank(self.x, int(np.argmax(self.x)), log_level)

    def _open_blank(self, planned: Screen, batch: Batch, cost: float) -> Screen:
        """Returns the screen after the next step towards a blank: a round of the play-off, or its result."""
        invited = np.array(int_list(self.notes.get("play_off")), dtype=np.int64)
        if not 0 < len(invited) <= PLAY_OFF_ITEMS:
            self._play_off(batch, PLAY_OFF_PART / 2 * cost, first=len(invited) == 0)
            return planned
        n, s = self.now.evidence.entries(*(grid.ravel() for grid in np.meshgrid(invited, invited, indexing="ij")))
        apart = ~np.eye(len(invited), dtype=np.bool_).ravel()
        shown, unclicked = ((column * apart).reshape(len(invited), -1).sum(axis=1) for column in (n, s))
        blank = int(invited[np.argmax(unclicked / np.maximum(shown, 1))])
        guess = np.round(clip_guess(self.x * self.x[blank]), DIGITS)
        self.choices = self.choices.add_blank(Blank(self.now.version - 1, blank, tuple(guess.tolist())))
        return self._screen()

    def _play_off(self, batch: Batch, size: float, *, first: bool) -> None:
        """Asks for a round of the play-off of about this size, in addition to the batch."""
        least = n_pairs(PLAY_OFF_ITEMS) * PLAY_OFF_PULLS
        size = min(size, PLAY_OFF_GROWTH * self.now.evidence.samples)
        n_invited = FIRST_ROUND_ITEMS if first and size > FIRST_ROUND_FROM * least else PLAY_OFF_ITEMS
        invited = np.argsort(-self.x, kind="stable")[:n_invited]
        left, right = np.triu_indices(len(invited), 1)
        pulls = math.ceil(max(size, least) / len(left))
        batch.ask("play-off", invited[left], invited[right], np.full(len(left), pulls))
        batch.left += len(left) * pulls
        self.notes, self.phase = {**self.notes, "play_off": invited.tolist()}, "play-off"

    def _add_outlook(self, target: ProofTarget, demand: Demand) -> None:
        """Adds the outlook of this plan to the choices: the bets of contrasts follow from it."""
        nominees = np.array([pair_number(one.pair, self.now.problem.n_items) for one in self.choices.nominees])
        group = self.targets.leader_and_rivals(target)
        outlook = outlook_of(group, nominees, self.targets.estimates.mean(nominees), demand, self.now.version)
        self.choices = self.choices.add_outlook(outlook)

    def _samples_before_nomination(self, target: ProofTarget) -> float:
        """Returns how often a leader is shown before it is nominated.

        All in one batch if there is room: the lowest of 10^5 means is mostly chance, and while such a pair leads, the
        threshold is too low and samples of all other pairs are wasted on it. (Doubling its samples instead took 1.4
        times as many on `pref` K=200, epsilon .1, and in the worst session 2.5 times.)
        """
        return max(NOMINATE_AT * target.leader_need, MIN_SAMPLES_BEFORE_NOMINATION)

    def _seen(self, target: ProofTarget) -> int:
        return int(self.targets.estimates.samples(np.array([target.leader]))[0][0])

    def _nominate(self, target: ProofTarget) -> bool:
        """Nominates the leader if it has enough samples; returns whether it is a nominee now."""
        if self.targets.nominated(target.leader) is not None:
            return True
        if self._seen(target) < self._samples_before_nomination(target):
            return False
        guess = float(np.round(clip_guess(np.array([target.mean])), DIGITS)[0])
        pair = pair_at(target.leader, self.now.problem.n_items)
        self.choices = self.choices.add_nominee(Nominee(self.now.version - 1, pair, guess))
        return True
