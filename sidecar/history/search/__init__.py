"""Full-text search over messages: an SQLite FTS5 file for each root, built in another process."""

from sidecar.history.search.service import SearchService

__all__ = ["SearchService"]
