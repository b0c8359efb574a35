"""Check texts that clients give to agents. No I/O."""

from collections.abc import Mapping
from typing import Any

from sidecar.api.errors import InvalidParams


class InvalidParameter(InvalidParams):
    """One parameter is invalid. `parameter` is its wire name; `problem` includes the remedy."""

    def __init__(self, parameter: str, problem: str) -> None:
        super().__init__(f"{parameter}: {problem}")
        self.parameter = parameter
        self.problem = problem


def require_whole(member: str, value: Any) -> None:
    """Raise InvalidParameter, which names the member, if a text in the value has half a surrogate pair.

    Such a text has no UTF-8, so no agent can get it.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            where = f"half a surrogate pair at index {error.start}"
            raise InvalidParameter(member, f"contains {where}; send whole characters") from None
    elif isinstance(value, Mapping):
        for name, each in value.items():
            require_whole(f"a name in {member}", name)
            require_whole(f"{member}.{name}", each)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            require_whole(f"{member}[{number}]", each)
