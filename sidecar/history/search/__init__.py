"""Full-text search in messages: one SQLite FTS5 file per root, built by a worker process."""

from sidecar.history.search.service import SearchService

__all__ = ["SearchService"]
