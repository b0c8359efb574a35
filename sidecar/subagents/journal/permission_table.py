"""The journal's table of what was decided for good."""

import sqlite3
from collections.abc import Sequence

import msgspec

from sidecar.api.permissions import RememberedPermission
from sidecar.subagents.journal import codec


def everything(db: sqlite3.Connection) -> list[RememberedPermission]:
    """Return all of it, oldest first."""
    rows = db.execute("SELECT body FROM permissions ORDER BY n").fetchall()
    return [msgspec.convert(codec.decode(body), RememberedPermission) for (body,) in rows]


def insert(db: sqlite3.Connection, permission: RememberedPermission) -> None:
    """Keep one more."""
    db.execute("INSERT INTO permissions (id, body) VALUES (?, ?)", (permission.id, codec.encode(permission)))


def delete(db: sqlite3.Connection, permission_ids: Sequence[str]) -> list[str]:
    """Forget those there are; return their ids."""
    gone = "DELETE FROM permissions WHERE id = ? RETURNING id"
    return [found[0] for each in permission_ids for found in db.execute(gone, (each,)).fetchall()]
