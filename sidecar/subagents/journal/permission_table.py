"""Read and write the journal's table of remembered permissions."""

import logging
import sqlite3
from collections.abc import Iterator, Sequence

import msgspec

from sidecar.api.runs.permissions import RememberedPermission
from sidecar.subagents.journal import codec

logger = logging.getLogger(__name__)


def select_all(db: sqlite3.Connection) -> list[RememberedPermission]:
    """Return all remembered permissions that can be read, oldest first. Log the others."""
    rows = db.execute("SELECT id, body FROM permissions ORDER BY n").fetchall()
    return list(_readable(rows))


def _readable(rows: Sequence[tuple[str, bytes]]) -> Iterator[RememberedPermission]:
    for permission_id, body in rows:
        try:
            yield msgspec.convert(codec.decode(body), RememberedPermission)
        except (ValueError, msgspec.ValidationError) as error:
            logger.warning("the remembered permission %s cannot be read: %s", permission_id, error)


def insert(db: sqlite3.Connection, permission: RememberedPermission) -> None:
    """Store a remembered permission."""
    db.execute("INSERT INTO permissions (id, body) VALUES (?, ?)", (permission.id, codec.encode(permission)))


def delete(db: sqlite3.Connection, permission_ids: Sequence[str]) -> list[str]:
    """Delete the permissions that exist; return their IDs."""
    gone = "DELETE FROM permissions WHERE id = ? RETURNING id"
    return [found[0] for each in permission_ids for found in db.execute(gone, (each,)).fetchall()]
