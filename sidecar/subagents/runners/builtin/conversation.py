"""Run the turns of one session: stream the model's text to the client and its calls to the tools."""

import asyncio
from collections.abc import AsyncIterable, Callable, Sequence
from pathlib import Path
from typing import Literal

from pydantic_ai import Agent, RunContext, capture_run_messages
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    OutputTokenLimitExceeded,
    RunCancelled,
    UsageLimitExceeded,
)
from pydantic_ai.messages import (
    AgentStreamEvent,
    FunctionToolCallEvent,
    ModelMessage,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from sidecar.subagents.runners.builtin.model.failures import failure_of
from sidecar.subagents.runners.builtin.model.requests import ModelRequests, NoTools
from sidecar.subagents.runners.builtin.model.window import ContextWindow, fill
from sidecar.subagents.runners.builtin.reporter import Reporter
from sidecar.subagents.runners.builtin.tools.server import ToolServer
from sidecar.subagents.runners.builtin.tools.server_tools import server_tools
from sidecar.subagents.runners.builtin.tools.toolset import Toolset
from sidecar.subagents.runners.builtin.tools.workspace import Workspace

StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]

MAX_REQUESTS = 200
"""The most requests to the model in one turn, so that a model that makes no progress stops."""
MAX_LAST_REQUESTS = 2
_TOOL_RETRIES = 3
"""How often in a row the model may call a tool with invalid arguments."""

_INSTRUCTIONS = """\
You are a coding agent that works on its own in the folder {root}. Use the tools to look before you answer,
and to do what is asked. Paths are relative to that folder; the file tools reach nothing outside it. Read a
file before you change it, keep changes small and in the style of what is there, and check your work by
running the project's own tests or tools where it has them. A refused tool call is final: continue without
it, or say what is missing. When you are done, say in a few sentences what you did and what you found.
"""

Brief = Callable[[Path], str]
"""Describes a workspace folder to an agent."""


class Conversation:
    """Run turns in order. Each has the messages of earlier turns, even of those that were cut short."""

    def __init__(
        self,
        model: Model,
        workspace: Workspace,
        reporter: Reporter,
        brief: Brief,
        window: int | None = None,
        servers: Sequence[ToolServer] = (),
    ) -> None:
        """`servers` are started; the model gets their tools too."""
        self.usage = RunUsage()
        """The usage of all turns so far."""
        self._reported = 0
        self._reporter = reporter
        self._root = workspace.root
        self._brief = brief
        self._window = ContextWindow(window or model.context_window)
        self._messages: list[ModelMessage] = []
        self._agent: Agent[None, str] = Agent(
            model,
            instructions=_INSTRUCTIONS.format(root=workspace.root),
            tools=[*Toolset(workspace, reporter).tools(), *server_tools(servers, reporter)],
            retries={"tools": _TOOL_RETRIES},
            capabilities=[ModelRequests(reporter, self._window)],
        )

    async def turn(self, prompt: str, *, is_last: bool = False) -> StopReason:
        """Answer a prompt; the last turn may not use tools.

        Raises ModelFailure. Cancelling the call ends the request to the model and the tools.
        """
        with capture_run_messages() as messages:
            try:
                return await self._run(prompt, is_last=is_last)
            except asyncio.CancelledError as error:
                cancelled = RunCancelled.from_cancellation(error)
                self._messages = cancelled.all_messages() if cancelled else list(messages)
                raise
            except AgentRunError as error:
                self._messages = list(messages) or self._messages
                return _stop_reason(error)
            finally:
                await self._report_usage(self._messages)

    async def _run(self, prompt: str, *, is_last: bool) -> StopReason:
        limit = MAX_LAST_REQUESTS if is_last else MAX_REQUESTS
        result = await self._agent.run(
            [prompt] if self._messages else [prompt, await asyncio.to_thread(self._brief, self._root)],
            message_history=self._messages,
            usage=self.usage,
            usage_limits=UsageLimits(request_limit=self.usage.requests + limit),
            event_stream_handler=self._report,
            capabilities=[NoTools()] if is_last else [],
        )
        self._messages = result.all_messages()
        return "max_tokens" if result.response.finish_reason == "length" else "end_turn"

    async def _report(self, context: RunContext[None], events: AsyncIterable[AgentStreamEvent]) -> None:
        # The usage of an answer is known once it is complete, which is when its tool calls start.
        await self._report_usage(context.messages)
        async for event in events:
            match event:
                case (
                    PartStartEvent(part=TextPart(content=text))
                    | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
                ) if text:
                    await self._reporter.say(text)
                case (
                    PartStartEvent(part=ThinkingPart(content=text))
                    | PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text))
                ) if text:
                    await self._reporter.think(text)
                case FunctionToolCallEvent(part=part, args_valid=False):
                    await self._reporter.invalid_call(part.tool_name)

    async def _report_usage(self, messages: Sequence[ModelMessage]) -> None:
        """Report the session's usage if it has changed; `messages` are in the context."""
        if self.usage.total_tokens != self._reported:
            self._reported = self.usage.total_tokens
            await self._reporter.usage(fill(messages), self._window.tokens, self.usage)


def _stop_reason(error: AgentRunError) -> StopReason:
    """Return the protocol's stop reason for an error; raise ModelFailure if it has none."""
    if isinstance(error, UsageLimitExceeded):
        return "max_turn_requests"
    if isinstance(error, OutputTokenLimitExceeded):
        return "max_tokens"
    if isinstance(error, ContentFilterError):
        return "refusal"
    raise failure_of(error) from error
