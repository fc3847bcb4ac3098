"""Certified sessions kept in lists, and the means of a forger: change rows, and compute digests and ids again."""

import copy
import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, NamedTuple, Self

import numpy as np

from app.counting.chain import chain_start
from app.planning.plan import plan_id
from app.results.certificates import digest_of
from app.sessions.creation import items_of, settle
from app.sessions.model import Session
from app.verification.check import Check
from app.verification.impressions import _packed
from app.verification.plans import _stored
from app.wire.vocabulary import State
from tests.session_fixtures import items, new_session
from tests.session_log import Log, Users, a_clear_winner

Document = dict[str, Any]


class Certified(NamedTuple):
    """A certificate and the log it comes from."""

    certificate: Document
    rows: list[Document]

    def copy(self) -> Self:
        return copy.deepcopy(self)

    def but(self, kind: str, place: int, **changes: Any) -> list[Document]:
        """Returns the log with one row of a kind changed."""
        rows = copy.deepcopy(self.rows)
        [row for row in rows if row["kind"] == kind][place].update(changes)
        return rows

    @property
    def session(self) -> Document:
        return next(row for row in self.rows if row["kind"] == "session")

    @property
    def plans(self) -> list[Document]:
        return [row for row in self.rows if row["kind"] == "plan"]

    @property
    def impressions(self) -> list[Document]:
        return [row for row in self.rows if row["kind"] == "impression"]

    @property
    def watermark(self) -> int:
        return int(self.certificate["log"]["watermark"])


def certified_session(
    users: Users = a_clear_winner, *, held: int = 0, session_id: str = "s", visitors: int = 3, **settings: Any
) -> Certified:
    """Returns a session of four items up to its certificate; some impressions that were held are counted after it."""
    goal = {} if "relative_epsilon" in settings else {"epsilon": 0.2}
    new = new_session(items=items(4), **{**goal, "delta": 0.1, "seed": 1, **settings})
    record = Session(
        id=session_id, name="", items=items_of(new), settings=settle(new), ticket_key=b"", state=State.RUNNING,
        budget=None, plan_version=0, plan_id="", watermark=0, created_at=0.0, updated_at=0.0,
    )  # fmt: skip
    log = Log(record, np.random.default_rng(visitors), users, held=held)
    certificate = next(planned.certificate for planned in log.plans() if planned.certificate)
    log.fold(log.held_now // 3)
    return Certified(json.loads(certificate.body), log.rows())


def failed(checks: Iterable[Check]) -> set[str]:
    return {check.name for check in checks if not check.holds}


def why(checks: Iterable[Check]) -> str:
    """What is said of the first check that failed."""
    return next(check.detail for check in checks if not check.holds)


def forged(certificate: Document, **changes: Any) -> Document:
    """A changed document with a digest that fits it."""
    document = {**copy.deepcopy(certificate), **changes}
    return {**document, "digest": digest_of(document)}


def chain_again(changed: Certified) -> None:
    """Computes all digests of the export again, those of the rows and the ids of the plans, but not the certificate."""
    digest = chain_start(changed.session["id"])
    digests = {0: digest.hex()}
    for row in changed.impressions:
        digest = sha256(digest + _packed(row)).digest()
        digests[row["sequence"]] = digest.hex()
    for one in (changed.session, *changed.plans):
        if one["watermark"] in digests:
            one["digest"] = digests[one["watermark"]]
    last = ""
    for plan in changed.plans:
        last = plan["id"] = plan_id(last, _stored(plan))


def certify_again(changed: Certified) -> Certified:
    """Returns the changed session with digests and a certificate that fit it, as if a server had written it so."""
    chain_again(changed)
    log, plans = changed.certificate["log"], {plan["version"]: plan for plan in changed.plans}
    last = plans[changed.certificate["plan_version"]]
    stated = {**log, "rows": last["digest"], "plans": plans[last["version"] - 1]["id"]}
    return Certified(forged(changed.certificate, log=stated), changed.rows)


def of_schema_2(certified: Certified) -> Certified:
    """Returns the session as version 0.1.0 would have written it: epochs, and no digests."""
    certificate, rows = certified.copy()
    watermark = certificate.pop("log")["watermark"]
    for row in rows:
        if row["kind"] == "impression":
            row["epoch"] = 1 if row["sequence"] <= watermark else None
        elif row["kind"] == "plan":
            row |= {"watermark": None, "digest": "", "known": None}
    return Certified(forged(certificate, schema=2, epoch=1), rows)
