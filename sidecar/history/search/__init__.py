"""Full-text search over messages: an SQLite FTS5 file for each root, built beside the server, disposable."""

from sidecar.history.search.service import SearchService

__all__ = ["SearchService"]
