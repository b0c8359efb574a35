"""Check texts that clients give to agents. No I/O."""

from collections.abc import Mapping
from typing import Any

from sidecar.api.errors import InvalidParams


def require_whole(member: str, value: Any) -> None:
    """Raise InvalidParams, which names the member, if a text in the value has half a surrogate pair.

    Such a text has no UTF-8, so no agent can get it.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            where = f"half a surrogate pair at index {error.start}"
            raise InvalidParams(f"{member}: contains {where}; send whole characters") from None
    elif isinstance(value, Mapping):
        for name, each in value.items():
            require_whole(f"a name in {member}", name)
            require_whole(f"{member}.{name}", each)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            require_whole(f"{member}[{number}]", each)
