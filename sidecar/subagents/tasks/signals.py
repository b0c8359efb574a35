"""A synchronous signal that calls its subscribers in order and isolates their errors."""

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
        """Add a handler; return a function that removes it and may be called repeatedly."""
        key = object()
        self._handlers[key] = handler

        def unsubscribe() -> None:
            self._handlers.pop(key, None)

        return unsubscribe

    def emit(self, value: T) -> None:
        """Call every current handler and log their errors."""
        for handler in tuple(self._handlers.values()):
            call_safely(handler, value)


def call_safely(function: Callable[..., object], *arguments: object) -> None:
    """Call a function and log its errors."""
    try:
        function(*arguments)
    except Exception:
        log.exception("a callback failed: %r", function)
