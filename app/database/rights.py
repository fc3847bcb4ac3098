"""The rights in PostgreSQL that a server needs; docs/operations.md lists them for the person who grants them."""

from sqlalchemy import Connection

from app.database import driver
from app.database.bulk import text_array

RIGHTS = {
    "sessions": "SELECT INSERT UPDATE DELETE",
    "session_items": "SELECT INSERT",
    "impressions": "SELECT INSERT UPDATE DELETE",
    "plans": "SELECT INSERT",
    "evidence": "SELECT INSERT UPDATE",
    "idempotency_keys": "SELECT INSERT UPDATE DELETE",
    "certificates": "SELECT INSERT",
    "uptimes": "SELECT INSERT UPDATE",
    "audit": "SELECT INSERT",
    "keys": "SELECT",
    "key_changes": "SELECT",
}
"""What refers to a session is deleted with it by the database itself, which takes no right."""

_OTHERS = [("bestpair_revision", "SELECT"), ("audit_id_seq", "USAGE")]
_NEEDED = [*((table, right) for table, rights in RIGHTS.items() for right in rights.split()), *_OTHERS]
_TABLES = text_array([table for table, _ in _NEEDED])
_RIGHTS = text_array([right for _, right in _NEEDED])
_MISSING = (
    "SELECT string_agg(needed.kind || ' on ' || needed.name, ', ')"
    " FROM unnest(%s::text[], %s::text[]) AS needed (name, kind) WHERE CASE"
    " WHEN kind = 'USAGE' THEN NOT has_sequence_privilege(name, kind) ELSE NOT has_table_privilege(name, kind) END"
)


def missing_rights(connection: Connection) -> str | None:
    """Returns the rights that the database user lacks, None if there are all."""
    (missing,) = driver.run(connection, _MISSING, [_TABLES, _RIGHTS]).fetchone()
    return None if missing is None else str(missing)
