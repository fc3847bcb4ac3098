"""`rplans`, the production policy: structure says where to look, bounds say what is proven.

R-PLANS (Bhargava, Ganti, Nowak) learns a few columns of a low-rank matrix well and imputes the rest. Imputed values
prove nothing by themselves, so here the same idea is used twice: a low-rank fit guesses every pair, which says who may
lead and what each pair would cost to settle; and one shared column, that of a blank (bound F) or the items' own clicks
(bound I), settles most pairs at the price of K entries. What is left goes to direct samples of the pairs that decide.
"""

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np

from app.engine.arrays import Pair, pair_at, pair_number
from app.engine.choices import DIGITS, Blank, Guess, Nominee, clear_of_the_ends
from app.engine.demand import Demand
from app.engine.memory import Notes, int_list
from app.engine.policies.explore_fit_verify import NOTE as RUN_ON_A_BUDGET
from app.engine.policies.explore_fit_verify import divides, explore_fit_verify
from app.engine.policies.policy import FIRST_BATCH_PER_ITEM, GUESSED_AT, Policy, Proposal, Situation
from app.engine.problem import Problem
from app.engine.shares import Shares, portion
from app.engine.spending.batch import STALLED, Batch
from app.engine.spending.beliefs import Beliefs
from app.engine.spending.contrasts import MOST_RIVALS, outlook_of
from app.engine.spending.exploring import first_look, rank_one
from app.engine.spending.levels import Levels, best_levels
from app.engine.spending.race import Aim, Race
from app.engine.spending.screens import Screen, by_item_clicks, planned_blank, through_blank

GROWTH = 0.15
"""Batches are smaller than elsewhere: the leader and the threshold move, and every move changes all prices."""

WORTH_SCREENING = 0.8
"""A blank is opened if the plan with it costs less than this part of direct samples alone."""

PLAY_OFF_ITEMS = 8
PLAY_OFF_PULLS = 30
"""The least clicked items meet each other so often, and the least clicked of them becomes the blank."""

NOMINATE_AT = 0.1
"""A leader is nominated once it has this part of what it will need: samples before the nomination do not count for it,
later ones are cheaper, and a nomination too many costs a tenth of the leader's samples."""

FEWEST_BEFORE_NOMINATION = 20

DIRECT_PART_IF_CLICKS_ARE_TOLD = 0.5

RACE_PART = 0.7
"""What the race of leader and rivals gets of a batch, at most, while shared entries want the rest."""

DEAREST_LOOK = 0.25
"""With a budget below four first looks there is nothing to prove with."""

FORESIGHT = 2.0
"""A session needs about twice what its plan says: leaders change, and every change costs. (Remaining over planned, by
plan, sixteen sessions: 2.7 early, 2 in the middle, 1.8 late.)"""

OUT_OF_REACH = 3.0
"""The proof is given up once it is thought to need this many times what is left of the budget. Of 20 sessions with 1.3
times the budget that they need, all kept to the proof; with just what they need, 18; at half this value 19 and 15."""


class Rplans(Policy):
    """Explore, then batch after batch: aim, screen, nominate, and spend where it decides something."""

    name: ClassVar[str] = "rplans"
    guesses: ClassVar[bool] = True

    def shares(self, problem: Problem) -> Shares:
        """Returns shares by the work each bound has: most pairs fall to D and to F or I, one needs an upper bound."""
        if problem.item_clicks:
            return Shares(upper=0.02, nominees=0.08, direct=0.15, clicks=0.3, contrasts=0.45)
        return Shares(upper=0.02, nominees=0.13, direct=0.5, screening=0.35)

    def propose(self, now: Situation) -> Proposal:
        """Returns the next batch: towards a proof, or towards the best guess if the budget cannot pay for a proof."""
        problem, budget = now.problem, now.problem.budget
        if budget is not None and divides(now.notes, budget):
            return explore_fit_verify(now, budget)
        if now.evidence.samples == 0:
            look = first_look(problem.n_items, now.rng, item_clicks=problem.item_clicks)
            if budget is not None and look.total > DEAREST_LOOK * budget:
                return explore_fit_verify(now, budget)
            return Proposal(look, Pair(0, 1), "explore")
        proposal = _Refinement(now, self.shares(problem)).proposal()
        worth_dividing = budget is not None and now.room > FIRST_BATCH_PER_ITEM * problem.n_items
        if budget is not None and worth_dividing and (proposal.forecast or 0) > OUT_OF_REACH * now.room:
            return explore_fit_verify(now, budget)
        return proposal


class _Refinement:
    """One plan after the first look."""

    def __init__(self, now: Situation, shares: Shares) -> None:
        self.now = now
        self.shares = shares
        self.x = by_item_clicks(now.evidence, None, 1.0).x if now.problem.item_clicks else rank_one(now.evidence)
        self.choices = now.choices
        if now.version == GUESSED_AT:
            self.choices = replace(now.choices, guess=Guess.of(now.version - 1, self.x[:, None]))
        items = now.evidence.item_clicks() if now.problem.item_clicks else None
        beliefs = Beliefs(now.evidence, self.x[:, None], self.choices.guess, items)
        self.race = Race(
            now.problem,
            now.evidence,
            now.assessment,
            beliefs,
            self.choices,
            shares,
            self._screen() if now.problem.item_clicks else None,
            now.rng,
        )
        self.notes: Notes = {key: value for key, value in now.notes.items() if key != RUN_ON_A_BUDGET}
        self.phase = "refine"

    def proposal(self) -> Proposal:
        """Returns what to show, and the choices made on the way."""
        now, race = self.now, self.race
        batch = Batch(now.batch(GROWTH), now.problem.n_items)
        screen = self._screen()
        rough = race.rough_aim()
        at_first = best_levels(screen, race.to_settle(screen, rough))
        worth = self._has_screen or at_first.cost < WORTH_SCREENING * float(
            (rough.direct * rough.open_pairs.weight).sum()
        )
        aim = race.best_aim(*((screen, at_first.e) if worth else (None, None)))
        if worth and not self._has_screen:
            screen = self._open_blank(screen, batch)
        pairs = aim.open_pairs
        levels: Levels | None = best_levels(screen, race.to_settle(screen, aim)) if worth else None
        unsettled = np.ones(len(pairs.index), dtype=np.bool_) if levels is None else ~levels.settled
        cost = aim.leader_need + (float((aim.direct * pairs.weight).sum()) if levels is None else levels.cost)
        nominated = self._nominate(aim)
        for_leader = aim.leader_need if nominated else self._trial(aim)
        batch.leader(aim, for_leader, nominated=nominated)
        batch.search(aim, now.problem.epsilon)
        todo, all_of_it = np.flatnonzero(unsettled), cost <= batch.size
        contrasting = nominated and self.shares.contrasts > 0
        if contrasting:
            order = todo[np.argsort(pairs.mean[todo], kind="stable")]
            rivals, todo = order[:MOST_RIVALS], order[MOST_RIVALS:]
            wanted = batch.race(race.field(aim, rivals), RACE_PART * batch.left)
            cost += wanted - float(aim.direct[rivals].sum())  # known better now than rival by rival
        if now.problem.item_clicks:  # direct samples serve both their items too, so they come first
            batch.direct(aim, todo, 1.0 if all_of_it else DIRECT_PART_IF_CLICKS_ARE_TOLD)
        if levels is not None and self._has_screen:
            batch.shared(screen, levels, now.version, all_of_it=all_of_it)
        if not now.problem.item_clicks:
            batch.direct(aim, todo)
        batch.rest_to_leader(aim, for_leader)
        if batch.left > STALLED * batch.size:
            batch.lowest_bounds(now.assessment.contenders, now.assessment.lower)
        diagnostics = {
            "width": aim.width,
            "threshold": aim.threshold,
            "leader_need": aim.leader_need,
            "open_pairs": float(pairs.weight.sum()),
            "settled_by_screening": float(0 if levels is None else pairs.weight[levels.settled].sum()),
            "nominees": float(len(self.choices.nominees)),
            **{f"for_{purpose}": count for purpose, count in batch.purposes.items()},
        }
        demand = batch.demand()
        if contrasting:
            self._expect(aim, demand)
        pair = pair_at(aim.leader, now.problem.n_items)
        return Proposal(demand, pair, self.phase, self.notes, diagnostics, self.choices, FORESIGHT * cost)

    @property
    def _has_screen(self) -> bool:
        return self.now.problem.item_clicks or bool(self.choices.blanks)

    def _screen(self) -> Screen:
        """Returns the screen there is, or the one that the least clicked item would be."""
        delta, blanks = self.now.problem.delta, self.choices.blanks
        if self.now.problem.item_clicks:
            return by_item_clicks(self.now.evidence, self.choices.guess, math.log(1 / (self.shares.clicks * delta)))
        log_level = math.log(1 / portion(self.shares.screening * delta, max(len(blanks), 1)))
        if blanks:
            return through_blank(self.now.evidence, blanks[-1], log_level)
        return planned_blank(self.x, int(np.argmax(self.x)), log_level)

    def _open_blank(self, planned: Screen, batch: Batch) -> Screen:
        """Returns the screen after the next step towards a blank: the play-off, or its winner."""
        invited = np.array(int_list(self.notes.get("play_off")), dtype=np.int64)
        if len(invited) == 0:
            invited = np.argsort(-self.x, kind="stable")[:PLAY_OFF_ITEMS]
            left, right = np.triu_indices(len(invited), 1)
            batch.ask("play-off", invited[left], invited[right], np.full(len(left), PLAY_OFF_PULLS))
            batch.left += len(left) * PLAY_OFF_PULLS  # on top of the batch, not instead of it
            self.notes, self.phase = {**self.notes, "play_off": invited.tolist()}, "play-off"
            return planned
        n, s = self.now.evidence.entries(*(grid.ravel() for grid in np.meshgrid(invited, invited, indexing="ij")))
        apart = ~np.eye(len(invited), dtype=np.bool_).ravel()
        shown, unclicked = ((column * apart).reshape(len(invited), -1).sum(axis=1) for column in (n, s))
        blank = int(invited[np.argmax(unclicked / np.maximum(shown, 1))])
        guess = np.round(clear_of_the_ends(self.x * self.x[blank]), DIGITS)
        self.choices = self.choices.add_blank(Blank(self.now.version - 1, blank, tuple(guess.tolist())))
        return self._screen()

    def _expect(self, aim: Aim, demand: Demand) -> None:
        """Writes down what this plan is going to show of nominees and rivals: stakes of contrasts follow from it."""
        nominees = np.array([pair_number(one.pair, self.now.problem.n_items) for one in self.choices.nominees])
        field = self.race.field(aim)
        outlook = outlook_of(field, nominees, self.race.beliefs.mean(nominees), demand, self.now.version)
        self.choices = self.choices.expect(outlook)

    def _trial(self, aim: Aim) -> float:
        """Returns how often a leader is shown before it is nominated.

        All of it in one batch if there is room: the lowest of 10^5 means is mostly luck, and while a lucky pair leads,
        the threshold is too low and everyone else's samples are spent on it. (Doubling what it was seen instead took
        1.4 times as many on `pref` K=200, epsilon .1, and in the worst session 2.5 times.)
        """
        return max(NOMINATE_AT * aim.leader_need, FEWEST_BEFORE_NOMINATION)

    def _seen(self, aim: Aim) -> int:
        return int(self.race.beliefs.samples(np.array([aim.leader]))[0][0])

    def _nominate(self, aim: Aim) -> bool:
        """Nominates the leader if its time has come; returns whether it is the nominee now."""
        if self.race.nominated(aim.leader) is not None:
            return True
        if self._seen(aim) < self._trial(aim):
            return False
        guess = float(np.round(clear_of_the_ends(np.array([aim.mean])), DIGITS)[0])
        pair = pair_at(aim.leader, self.now.problem.n_items)
        self.choices = self.choices.nominate(Nominee(self.now.version - 1, pair, guess))
        return True
