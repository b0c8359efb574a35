"""Read and write the journal's table of remembered permissions."""

import sqlite3
from collections.abc import Sequence

import msgspec

from sidecar.api.runs.permissions import RememberedPermission
from sidecar.subagents.journal import codec


def select_all(db: sqlite3.Connection) -> list[RememberedPermission]:
    """Return all remembered permissions, oldest first."""
    rows = db.execute("SELECT body FROM permissions ORDER BY n").fetchall()
    return [msgspec.convert(codec.decode(body), RememberedPermission) for (body,) in rows]


def insert(db: sqlite3.Connection, permission: RememberedPermission) -> None:
    """Store a remembered permission."""
    db.execute("INSERT INTO permissions (id, body) VALUES (?, ?)", (permission.id, codec.encode(permission)))


def delete(db: sqlite3.Connection, permission_ids: Sequence[str]) -> list[str]:
    """Delete the permissions that exist; return their ids."""
    gone = "DELETE FROM permissions WHERE id = ? RETURNING id"
    return [found[0] for each in permission_ids for found in db.execute(gone, (each,)).fetchall()]
