"""`bestpair keys` and `bestpair audit`; they work on the database directly, without a server."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import typer

from app.access.audit import COMMAND_LINE, Entry
from app.access.keys import InvalidKey, Key, Scope, new_key
from app.access.rates import InvalidRate, parse_rate
from app.access.sql import AccessStore
from app.cli.options import AsJson
from app.settings import InvalidSetting, Settings

Result = TypeVar("Result")

keys = typer.Typer(name="keys", help="Make, list and revoke access keys (BESTPAIR_DATABASE_URL).", no_args_is_help=True)


@keys.callback()
def _keys() -> None:
    """Make, list and revoke access keys; a running server follows within a second."""


@keys.command()
def create(
    name: Annotated[str, typer.Option(help="A name for people, such as the owner.")],
    scope: Annotated[list[Scope], typer.Option(help="What the key may do; can be repeated. admin: everything.")],
    session: Annotated[str | None, typer.Option(help="Bind the key to this session. Default: all sessions.")] = None,
    rate_limit: Annotated[
        str, typer.Option(help="A limit such as 500/second; none: the server's limit (BESTPAIR_RATE_LIMIT).")
    ] = "none",
    as_json: AsJson = False,
) -> None:
    """Make a key and show it once; only a hash of it is stored."""
    try:
        rate = parse_rate(rate_limit)
    except InvalidRate as error:
        raise InvalidSetting("--rate-limit", str(error)) from None
    secret, key = new_key(name, scope, session_id=session, rate=rate)
    stored = _with_store(lambda store: store.add_key(key, COMMAND_LINE))
    if as_json:
        typer.echo(json.dumps({"secret": secret, **_as_json(stored)}))
        return
    typer.echo(secret)
    typer.echo(f"this is key {stored.id} ({', '.join(sorted(stored.scopes))}); it is not shown again", err=True)


@keys.command("list")
def list_(as_json: AsJson = False) -> None:
    """Show all keys, oldest first, including revoked keys."""
    found = _with_store(lambda store: store.keys())
    if as_json:
        typer.echo(json.dumps([_as_json(key) for key in found]))
        return
    for key in found:
        session = f"session {_printable(key.session_id)}" if key.session_id else "all sessions"
        state = f"revoked {_when(key.revoked_at)}" if key.revoked_at is not None else f"made {_when(key.created_at)}"
        limit = "" if key.rate is None else f"  {key.rate}"
        scopes = ",".join(sorted(key.scopes))
        typer.echo(f"{key.id}_…{key.ending}  {scopes}  {session}{limit}  {state}  {_printable(key.name)}")
    if not found:
        typer.echo("there are no keys; make one: bestpair keys create --name me --scope admin", err=True)


@keys.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The id that `keys list` shows: bp_ and 12 characters.")],
) -> None:
    """Revoke a key permanently; servers refuse it within a second."""
    key_id = "_".join(key_id.split("_")[:2])  # a whole key is accepted too
    key = _with_store(lambda store: store.revoke_key(key_id, COMMAND_LINE))
    if key is None:
        raise InvalidKey(f"there is no key {_printable(key_id)}; bestpair keys list shows all")
    typer.echo(f"{key.id} ({_printable(key.name)}) was revoked at {_when(key.revoked_at)}")


def audit(
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many entries to show.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show who created, changed and deleted sessions and keys, newest first."""
    for entry in _with_store(lambda store: store.audit(limit, None)):
        typer.echo(json.dumps(_entry_as_json(entry)) if as_json else _line(entry))


def _line(entry: Entry) -> str:
    who = entry.actor if entry.actor_name is None else f"{entry.actor} {_printable(entry.actor_name)}"
    details = " ".join(f"{name}={json.dumps(value)}" for name, value in entry.details.items())
    return f"{_when(entry.at)}  {entry.action}  {entry.session_id or '-'}  {who}  {details}".rstrip()


def _with_store(work: Callable[[AccessStore], Awaitable[Result]]) -> Result:
    store = AccessStore(Settings.from_environment(os.environ).database_url)

    async def run() -> Result:
        await store.prepare()
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(run())


def _as_json(key: Key) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "session": key.session_id,
        "rate_limit": None if key.rate is None else str(key.rate),
        "ending": key.ending,
        "created_at": _when(key.created_at),
        "revoked_at": None if key.revoked_at is None else _when(key.revoked_at),
    }


def _entry_as_json(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": _when(entry.at),
        "actor": entry.actor,
        "actor_name": entry.actor_name,
        "action": entry.action,
        "session": entry.session_id,
        "details": dict(entry.details),
    }


def _when(seconds: float | None) -> str:
    return datetime.fromtimestamp(seconds or 0.0, UTC).isoformat(timespec="seconds")


def _printable(text: str) -> str:
    """Returns the text, escaped if it contains control characters that a terminal would interpret."""
    return text if text.isprintable() else ascii(text)
