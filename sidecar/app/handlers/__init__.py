"""One function for each method, which calls the services of the Host."""

from collections.abc import Awaitable, Callable
from typing import Any

Handlers = dict[str, Callable[..., Awaitable[Any]]]
"""Method name to `async def handler(session, params)`."""
