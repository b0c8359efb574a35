"""The error for an invalid query."""

from sidecar.api.errors import InvalidParams


class QueryError(InvalidParams):
    """An invalid query. `data`: position (in characters, from 0), expected (what is valid there)."""

    def __init__(self, position: int, expected: str) -> None:
        super().__init__(
            f"query: at position {position} expected {expected}", position=position, expected=expected
        )
        self.position = position
        self.expected = expected
