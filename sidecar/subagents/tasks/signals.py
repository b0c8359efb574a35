"""A synchronous signal: subscribers are called in order, and none can hurt another."""

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

log = logging.getLogger(__name__)
T = TypeVar("T")


class Signal(Generic[T]):
    """A list of handlers; it may contain the same handler more than once."""

    def __init__(self) -> None:
        self._handlers: dict[object, Callable[[T], object]] = {}

    def subscribe(self, handler: Callable[[T], object]) -> Callable[[], None]:
        """Add a handler; the callable returned takes it out again and may be called repeatedly."""
        key = object()
        self._handlers[key] = handler

        def unsubscribe() -> None:
            self._handlers.pop(key, None)

        return unsubscribe

    def emit(self, value: T) -> None:
        """Call every handler there is now; what one raises is logged and goes no further."""
        for handler in tuple(self._handlers.values()):
            call_safely(handler, value)


def call_safely(function: Callable[..., object], *arguments: object) -> None:
    """Call a function of others; what it raises is logged."""
    try:
        function(*arguments)
    except Exception:
        log.exception("a callback failed: %r", function)
