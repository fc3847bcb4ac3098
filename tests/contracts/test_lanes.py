"""The same service through the hot lane and through the plain routes, on a real store: the same bytes."""

import json
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from app.database.store import SqlStore
from app.sessions.service import Sessions
from app.web.api import build_api

TICKET = re.compile(rb'"ticket":"[^"]+"')
HEADERS = {"X-Request-ID": "fixed", "Content-Type": "application/json"}


@pytest.fixture
async def lanes(store: SqlStore) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    """A caller for each lane; both lead to one store."""
    sessions = Sessions(store)
    apps = [build_api(sessions, version="1", body_limit_bytes=100_000, hot_lane=hot) for hot in (True, False)]
    hot, plain = (
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test", headers=HEADERS) for app in apps
    )
    async with hot, plain:
        yield hot, plain


def seen(answer: httpx.Response) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    return answer.status_code, answer.headers.raw, answer.content


async def test_a_session_is_the_same_through_both(lanes: tuple[httpx.AsyncClient, httpx.AsyncClient]) -> None:
    hot, plain = lanes
    items = ['é"\\/🙂', "b", "c"]
    at = (await hot.post("/v1/sessions", json={"items": items, "seed": 1})).headers["Location"]
    for path, body in (("next-pair", {}), ("next-pair/batch", {"count": 7})):
        for first, second in ((hot, plain), (plain, hot)):
            keyed = {"Idempotency-Key": f"{path}-{first is hot}"}
            given = await first.post(f"{at}/{path}", json=body, headers=keyed)
            assert seen(given) == seen(await second.post(f"{at}/{path}", json=body, headers=keyed)), "the same again"
    mine, theirs = [(await lane.post(f"{at}/next-pair/batch", json={"count": 6})).json() for lane in lanes]

    async def both(path: str, one: object, other: object) -> None:
        first, second = await hot.post(f"{at}/{path}", json=one), await plain.post(f"{at}/{path}", json=other)
        assert seen(first) == seen(second)

    def answer(impression: dict[str, str], reward: float) -> dict[str, object]:
        return {"ticket": impression["ticket"], "reward": reward}

    for reward in (1, 1, 0):  # accepted, duplicate, conflict
        await both("feedback", answer(mine[0], reward), answer(theirs[0], reward))
    await both("feedback", answer(mine[1], 0.5), answer(theirs[1], 0.5))
    await both("feedback", {"ticket": "unknown", "reward": 1}, {"ticket": "unknown", "reward": 1})
    rows = [[answer(one, 1) for one in few] + [{"ticket": "x"}] for few in (mine, theirs)]
    await both("feedback/batch", rows[0], rows[1])
    await both("feedback/batch", rows[0][:-1], rows[1][:-1])
    best = await hot.get(f"{at}/best-pair")
    assert seen(best) == seen(await plain.get(f"{at}/best-pair"))
    known = {"If-None-Match": best.headers["etag"]}
    unchanged = await hot.get(f"{at}/best-pair", headers=known)
    assert seen(unchanged) == seen(await plain.get(f"{at}/best-pair", headers=known))
    assert unchanged.status_code == 304
    changed = await plain.patch(at, json={"state": "stopped"})
    assert changed.status_code == 200
    assert (await hot.get(f"{at}/best-pair", headers=known)).json()["state"] == "stopped", "seen at once"
    await both("next-pair", {}, {})
    await hot.delete(at)
    gone = answer(mine[0], 1)
    await both("next-pair", {}, {})
    await both("feedback", gone, gone)
    await both("feedback/batch", [gone], [gone])
    assert seen(await hot.get(f"{at}/best-pair")) == seen(await plain.get(f"{at}/best-pair"))


async def test_unkeyed_impressions_differ_in_nothing_but_chance(
    lanes: tuple[httpx.AsyncClient, httpx.AsyncClient],
) -> None:
    hot, plain = lanes
    at = (await hot.post("/v1/sessions", json={"items": ["a", "a2"], "seed": 1})).headers["Location"]
    found = set()
    for lane in (hot, plain) * 8:
        status, headers, content = seen(await lane.post(f"{at}/next-pair", json={}))
        assert status == 200
        slots = b'"i":1' in content
        found.add((slots, tuple(headers[1:]), TICKET.sub(b"", content)))
    assert len(found) <= 2, "one for each order of the two items"


@pytest.mark.parametrize("feedback", ["pair", "items"])
async def test_batches_of_rewards_are_the_same_through_both(
    lanes: tuple[httpx.AsyncClient, httpx.AsyncClient], feedback: str
) -> None:
    hot, _ = lanes
    at = (await hot.post("/v1/sessions", json={"items": ["a", "b", "c"], "feedback": feedback})).headers["Location"]
    told: list[list[bytes]] = []
    for lane in lanes:
        shown = (await lane.post(f"{at}/next-pair/batch", json={"count": 6})).json()
        rows = [{"ticket": one["ticket"], "reward": place % 2} for place, one in enumerate(shown)]
        other = [{**row, "reward": 1} for row in rows]
        batches = [rows[:5], rows, [*rows, rows[0]], other, [*rows[:2], {**rows[0], "reward": 0.5}]]
        told.append([(await lane.post(f"{at}/feedback/batch", json=batch)).content for batch in batches])
    assert told[0] == told[1]
    assert told[0][0].count(b'"accepted"') == (5 if feedback == "pair" else 0)


HALVES = ["\ud800", "x\udfff", "\ud83d \ude00"]
"""JSON may write half of a surrogate pair; no database can hold it."""


@pytest.mark.parametrize("feedback", ["pair", "items"])
async def test_half_of_a_surrogate_pair_spoils_no_other_row(
    lanes: tuple[httpx.AsyncClient, httpx.AsyncClient], feedback: str
) -> None:
    hot, _ = lanes
    at = (await hot.post("/v1/sessions", json={"items": ["a", "b", "c"], "feedback": feedback})).headers["Location"]
    told: list[bytes] = []
    for lane in lanes:
        shown = (await lane.post(f"{at}/next-pair/batch", json={"count": 7})).json()
        value: dict[str, object] = {"reward": 1} if feedback == "pair" else {"clicked": ["a"]}
        rows: list[object] = [{"ticket": one["ticket"], **value} for one in shown if "a" in one["items"]]
        good = len(rows)
        rows[1:1] = [{"ticket": half, **value} for half in HALVES]
        rows += [{"ticket": shown[0]["ticket"], "clicked": HALVES[:1]}, {HALVES[0]: 1, **value}, HALVES[0]]
        # json.dumps writes the halves as escapes, as a caller would.
        answer = await lane.post(f"{at}/feedback/batch", content=json.dumps(rows))
        statuses = [row["status"] for row in answer.json()]
        assert statuses == ["accepted", *["invalid"] * 3, *["accepted"] * (good - 1), *["invalid"] * 3]
        assert "half of a surrogate pair" in answer.json()[1]["detail"]
        told.append(answer.content.replace(b'{"status":"accepted"},', b""))
    assert told[0] == told[1]


async def test_half_of_a_surrogate_pair_is_named(lanes: tuple[httpx.AsyncClient, httpx.AsyncClient]) -> None:
    hot, plain = lanes
    at = (await hot.post("/v1/sessions", json={"items": ["a", "b", "c"]})).headers["Location"]
    for half in HALVES:
        bodies = {
            "items[1].id": ("/v1/sessions", {"items": ["a", half]}),
            "items[0].label": ("/v1/sessions", {"items": [{"id": "a", "label": half}, "b"]}),
            "name": ("/v1/sessions", {"items": ["a", "b"], "name": half}),
            "policy": ("/v1/sessions", {"items": ["a", "b"], "policy": half}),
            "ticket": (f"{at}/feedback", {"ticket": half, "reward": 1}),
            "clicked[0]": (f"{at}/feedback", {"ticket": "t", "clicked": [half]}),
            "count": (f"{at}/next-pair/batch", {"count": half}),
            "": (f"{at}/next-pair", {half: 1}),
        }
        for field, (path, body) in bodies.items():
            first, second = [await lane.post(path, content=json.dumps(body)) for lane in lanes]
            assert seen(first) == seen(second)
            assert (first.status_code, first.json()["errors"][0]["field"]) == (422, field)
        renamed = await plain.patch(at, content=json.dumps({"name": half}))
        assert renamed.status_code == 422
        assert "half of a surrogate pair" in renamed.json()["detail"]
    for content in (
        b'["\\ud800"',
        b'[NaN, "\\ud800"]',
        b'["\\ud800"] 1',
        b"[" * 50_000 + b'"\\ud800"',
        b'["\xff\\ud800"]',
    ):
        answer = await hot.post(f"{at}/feedback/batch", content=content)
        assert (answer.status_code, answer.json()["type"]) == (400, "/problems/malformed-json")
