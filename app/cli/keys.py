"""`bestpair keys` and `bestpair audit`: access keys and the audit log, directly in the database."""

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
    """Make, list and revoke access keys; running servers apply a change within a second."""


@keys.command()
def create(
    name: Annotated[str, typer.Option(help="Name of the owner, for display.")],
    scope: Annotated[
        list[Scope], typer.Option(help="What the key may do; repeat the option for several scopes. admin: everything.")
    ],
    session: Annotated[
        str | None, typer.Option(help="Restrict the key to this session; default: all sessions.")
    ] = None,
    rate_limit: Annotated[
        str, typer.Option(help="Rate limit of the key, such as 500/second; none: the server's (BESTPAIR_RATE_LIMIT).")
    ] = "none",
    as_json: AsJson = False,
) -> None:
    """Make a key and print it. It is not shown again: only its hash is stored."""
    try:
        rate = parse_rate(rate_limit)
    except InvalidRate as error:
        raise InvalidSetting("--rate-limit", str(error)) from None
    secret, key = new_key(name, scope, session_id=session, rate=rate)
    stored = _with_database(lambda access: access.add_key(key, COMMAND_LINE))
    if as_json:
        typer.echo(json.dumps({"secret": secret, **_as_json(stored)}))
        return
    typer.echo(secret)
    typer.echo(f"this is key {stored.id} ({', '.join(sorted(stored.scopes))}); it is not shown again", err=True)


@keys.command("list")
def list_(as_json: AsJson = False) -> None:
    """Show all keys, oldest first, including revoked ones."""
    found = _with_database(lambda access: access.keys())
    if as_json:
        typer.echo(json.dumps([_as_json(key) for key in found]))
        return
    for key in found:
        session = f"session {_plain(key.session_id)}" if key.session_id else "all sessions"
        state = f"revoked {_when(key.revoked_at)}" if key.revoked_at is not None else f"made {_when(key.created_at)}"
        limit = "" if key.rate is None else f"  {key.rate}"
        scopes = ",".join(sorted(key.scopes))
        typer.echo(f"{key.id}_…{key.ending}  {scopes}  {session}{limit}  {state}  {_plain(key.name)}")
    if not found:
        typer.echo("there are no keys; make one: bestpair keys create --name me --scope admin", err=True)


@keys.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The id that `keys list` shows: bp_ and 12 characters.")],
) -> None:
    """Revoke a key permanently; running servers refuse it within a second."""
    key_id = "_".join(key_id.split("_")[:2])  # accepts the whole key too
    key = _with_database(lambda access: access.revoke_key(key_id, COMMAND_LINE))
    if key is None:
        raise InvalidKey(f"there is no key {_plain(key_id)}; bestpair keys list shows all")
    typer.echo(f"{key.id} ({_plain(key.name)}) is revoked since {_when(key.revoked_at)}")


def audit(
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number of entries.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show who created, changed and deleted sessions and keys, newest first."""
    for entry in _with_database(lambda access: access.audit(limit, None)):
        typer.echo(json.dumps(_entry_as_json(entry)) if as_json else _line(entry))


def _line(entry: Entry) -> str:
    who = entry.actor if entry.actor_name is None else f"{entry.actor} {_plain(entry.actor_name)}"
    details = " ".join(f"{name}={json.dumps(value)}" for name, value in entry.details.items())
    return f"{_when(entry.at)}  {entry.action}  {entry.session_id or '-'}  {who}  {details}".rstrip()


def _with_database(work: Callable[[AccessStore], Awaitable[Result]]) -> Result:
    access = AccessStore(Settings.from_environment(os.environ).database_url)

    async def run() -> Result:
        await access.prepare()
        try:
            return await work(access)
        finally:
            await access.close()

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


def _plain(text: str) -> str:
    """Returns the text, escaped if it contains control characters, which a terminal would execute."""
    return text if text.isprintable() else ascii(text)
