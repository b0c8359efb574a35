"""Method handlers: one function for each method, which calls the services of the Host."""

from collections.abc import Awaitable, Callable
from typing import Any

Handlers = dict[str, Callable[..., Awaitable[Any]]]
"""Maps method names to `async def handler(session, params)`."""
