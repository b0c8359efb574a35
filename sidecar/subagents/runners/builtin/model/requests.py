"""Fit each request to the model's context window, retry it if that may help, and check the answer."""

import asyncio
import random
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ModelAPIError, ModelQuotaExceededError, RetryModelRequest, ToolFailed
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.settings import ModelSettings

from sidecar.subagents.runners.builtin.model import requests as retrying
from sidecar.subagents.runners.builtin.model.compaction import chars
from sidecar.subagents.runners.builtin.model.failures import (
    cause_of,
    is_too_long,
    kind_of,
    limit_of,
    status_of,
    wait_of,
)
from sidecar.subagents.runners.builtin.model.window import ContextWindow
from sidecar.subagents.runners.builtin.reporter import Reporter

_MAX_REFUSALS = 3
"""How often in a row to shorten a conversation that is refused as too long."""
_SHORTENED = "the conversation is shortened to fit the context window of {tokens:,} tokens"


class ModelRequests(AbstractCapability[None]):
    """Handle the requests of one conversation, one at a time."""

    def __init__(self, reporter: Reporter, window: ContextWindow) -> None:
        self._reporter = reporter
        self._window = window
        self._failures = 0
        self._refusals = 0

    async def before_model_request(
        self, ctx: RunContext[None], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Reset the failure counts for a new request (library)."""
        self._failures = self._refusals = 0
        return request_context

    async def prepare_model_request(
        self, ctx: RunContext[None], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Shorten a conversation that nearly fills the window or was refused as too long (library)."""
        messages = request_context.messages
        fitted = self._window.fitted(messages, refused=self._refusals > 0)
        if chars(fitted) < chars(messages):
            request_context.messages = fitted
            ctx.messages[:] = fitted
            await self._reporter.notice(_SHORTENED.format(tokens=self._window.tokens))
        return request_context

    async def on_model_request_error(
        self, ctx: RunContext[None], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """Report the failure and retry after a pause if that may help; otherwise raise it (library)."""
        messages = request_context.messages
        if is_too_long(error) and self._refusals < _MAX_REFUSALS:
            self._refusals += 1
            self._window.learn(limit_of(error), messages)
            if chars(self._window.fitted(messages, refused=True)) < chars(messages):
                raise RetryModelRequest
        self._failures += 1
        seconds = retrying.pause(error, self._failures)
        if seconds is None:
            raise error
        text = f"{cause_of(error)}; try {self._failures + 1} of {retrying.MAX_TRIES} in {seconds:.0f} s"
        await self._reporter.retrying(self._failures, status_of(error), text, wait_of(error))
        await asyncio.sleep(seconds)
        raise RetryModelRequest

    async def after_model_request(
        self, ctx: RunContext[None], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Reject an incomplete answer (library)."""
        # For the other provider the library checks this itself; see `provider`.
        if request_context.model.system == "anthropic" and not (response.provider_details or {}).get(
            "finish_reason"
        ):
            raise ModelAPIError(request_context.model.model_name, "it ended before the model had finished")
        return response


class NoTools(AbstractCapability[None]):
    """Prevent tool calls in a turn that is for text only.

    The tools stay declared, because without them a server may reject a conversation with tool calls.
    """

    def get_model_settings(self) -> ModelSettings:
        """Ask for text (library)."""
        return ModelSettings(tool_choice="none")

    async def before_tool_execute(self, ctx: RunContext[None], *, args: Any, **_: Any) -> Any:
        """Reject a tool call that the model makes anyway (library)."""
        raise ToolFailed("You cannot use tools in this last turn. Answer in words.")


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
    asked = wait_of(error)
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
