"""Decide when to retry a failed request."""

import random

from pydantic_ai.exceptions import ModelAPIError, ModelQuotaExceededError

from sidecar.subagents.runners.builtin.model.failures import kind_of, status_of

MAX_TRIES = 5
_FIRST_SECONDS, _MAX_SECONDS = 1.0, 30.0
MAX_WAIT_SECONDS = 120.0
"""If a server asks for a longer wait, the run fails."""
_REQUEST_TIMEOUT, _CONFLICT = 408, 409


def pause(error: Exception, tries: int) -> float | None:
    """Return the seconds to wait after `tries` failed tries; None if another try would not help.

    Use the wait that the server asks for. Otherwise double it from 1 s to 30 s and subtract up to a quarter
    at random, so that runs that failed together do not retry together.
    """
    if tries >= MAX_TRIES or not _may_pass(error):
        return None
    asked = error.retry_after if isinstance(error, ModelAPIError) else None
    if asked is not None:
        return asked if asked <= MAX_WAIT_SECONDS else None
    seconds: float = min(_MAX_SECONDS, _FIRST_SECONDS * 2 ** (tries - 1))
    return seconds * random.uniform(0.75, 1)  # noqa: S311


def _may_pass(error: Exception) -> bool:
    if isinstance(error, ModelQuotaExceededError):
        return False
    return kind_of(error) in ("rateLimit", "overloaded", "network") or status_of(error) in (
        _REQUEST_TIMEOUT,
        _CONFLICT,
    )
