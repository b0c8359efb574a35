"""One session's turns: the model's words go to the client, its calls to the tools, until it has answered."""

import asyncio
import logging
from collections.abc import AsyncIterable
from typing import Any, Literal

from pydantic_ai import Agent, RunContext, capture_run_messages
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    OutputTokenLimitExceeded,
    RunCancelled,
    UsageLimitExceeded,
)
from pydantic_ai.messages import (
    AgentStreamEvent,
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

from sidecar.subagents.runners.builtin.history import bounded
from sidecar.subagents.runners.builtin.reporter import Reporter
from sidecar.subagents.runners.builtin.tools.toolset import Toolset
from sidecar.subagents.runners.builtin.tools.workspace import Workspace

logger = logging.getLogger(__name__)

StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]

MAX_REQUESTS = 200
"""How often the model is asked in one turn: a bound against going round in circles."""
_TOOL_RETRIES = 3
"""How often in a row the model may call a tool with arguments that do not fit."""

_INSTRUCTIONS = """\
You are a coding agent that works on its own in the folder {root}. Use the tools to look before you answer,
and to do what is asked. Paths are relative to that folder; the file tools reach nothing outside it. Read a
file before you change it, keep changes small and in the style of what is there, and check your work by
running the project's own tests or tools where it has them. A refused tool call is final: go on without it,
or say what is missing. When you are done, say in a few sentences what you did and what you found.
"""


class ModelFault(Exception):
    """The model could not be reached, or did not answer as it has to; the text says what it said."""


class Conversation:
    """Turns one after the other, each knowing those before it, also those cut short."""

    def __init__(self, model: Model, workspace: Workspace, reporter: Reporter) -> None:
        self.usage = RunUsage()
        """Of all turns so far."""
        self._reporter = reporter
        self._messages: list[ModelMessage] = []
        self._agent: Agent[None, str] = Agent(
            model,
            instructions=_INSTRUCTIONS.format(root=workspace.root),
            tools=Toolset(workspace, reporter).tools(),
            retries={"tools": _TOOL_RETRIES},
            model_settings={"cache": True},
            capabilities=[ProcessHistory(bounded)],
        )

    async def turn(self, prompt: str) -> StopReason:
        """Answer a prompt. Raises ModelFault; cancelling it ends the call of the model and the tools."""
        with capture_run_messages() as messages:
            try:
                return await self._run(prompt)
            except asyncio.CancelledError as fault:
                cancelled = RunCancelled.from_cancellation(fault)
                self._messages = cancelled.all_messages() if cancelled else list(messages)
                raise
            except AgentRunError as fault:
                self._messages = list(messages) or self._messages
                return _stop_reason(fault)

    async def _run(self, prompt: str) -> StopReason:
        result = await self._agent.run(
            prompt,
            message_history=self._messages,
            usage=self.usage,
            usage_limits=UsageLimits(request_limit=self.usage.requests + MAX_REQUESTS),
            event_stream_handler=self._tell,
        )
        self._messages = result.all_messages()
        return "max_tokens" if result.response.finish_reason == "length" else "end_turn"

    async def _tell(self, context: RunContext[None], events: AsyncIterable[AgentStreamEvent]) -> None:
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
        await self._tell_usage(context)

    async def _tell_usage(self, context: RunContext[Any]) -> None:
        """Tell how full the context is, where the model's size is known."""
        size, used = context.model.context_window, context.context_window_used
        if size is not None and used is not None:
            cost = context.usage.cost
            await self._reporter.usage(round(used * size), size, None if cost is None else float(cost))


def _stop_reason(fault: AgentRunError) -> StopReason:
    """Return the protocol's word for what ended a turn; ModelFault where it has none."""
    if isinstance(fault, UsageLimitExceeded):
        return "max_turn_requests"
    if isinstance(fault, OutputTokenLimitExceeded):
        return "max_tokens"
    if isinstance(fault, ContentFilterError):
        return "refusal"
    raise ModelFault(f"the model's answer failed: {fault}") from fault
