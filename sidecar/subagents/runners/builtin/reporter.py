"""What a client sees of one session: words, thoughts, a plan, usage, and tool calls that ask for leave."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import acp
from acp import schema
from pydantic_ai.usage import RunUsage

from sidecar.subagents.runners.builtin.meta import in_meta
from sidecar.subagents.runners.builtin.tools.faults import ToolFault

_OPTIONS = [
    schema.PermissionOption(option_id="allow", name="Allow", kind="allow_once"),
    # Whoever answers remembers it: this agent asks again, and gets the same answer.
    schema.PermissionOption(option_id="always", name="Always allow", kind="allow_always"),
    schema.PermissionOption(option_id="reject", name="Reject", kind="reject_once"),
]
_ALLOWING = ("allow", "always")


class Client(Protocol):
    """The part of the protocol's connection that a session uses."""

    async def session_update(self, session_id: str, update: Any) -> None:
        """Tell of something."""

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption]
    ) -> schema.RequestPermissionResponse:
        """Ask, and wait for the answer."""


class Reporter:
    """Tells the client of one session."""

    def __init__(self, client: Client, session_id: str) -> None:
        self._client = client
        self._session_id = session_id

    async def say(self, text: str) -> None:
        """Pass on a piece of the answer."""
        await self.update(acp.update_agent_message_text(text))

    async def think(self, text: str) -> None:
        """Pass on a piece of the model's reasoning."""
        await self.update(acp.update_agent_thought_text(text))

    async def plan(self, entries: Sequence[schema.PlanEntry]) -> None:
        """Show a plan in place of the last one."""
        await self.update(acp.update_plan(entries))

    async def usage(self, used: int, size: int, taken: RunUsage) -> None:
        """Report the tokens in the context, how many fit, and what the session has taken so far."""
        cost = None if taken.cost is None else schema.Cost(amount=float(taken.cost), currency="USD")
        tokens = tokens_of(taken)
        meta = in_meta("usage", tokens.model_dump(by_alias=True, exclude={"total_tokens"}, exclude_none=True))
        await self.update(
            schema.UsageUpdate(
                session_update="usage_update", used=used, size=size, cost=cost, field_meta=meta
            )
        )

    async def notice(self, text: str) -> None:
        """Report something that a reader of the log may want to know."""
        await self._inform("notice", {"text": text})

    async def retrying(self, attempt: int, status: int | None, text: str) -> None:
        """Report that a request to the model failed and is repeated; `attempt` counts the failures."""
        known = {} if status is None else {"status": status}
        await self._inform("retrying", {"attempt": attempt, **known, "text": text})

    async def _inform(self, member: str, value: dict[str, Any]) -> None:
        meta = in_meta(member, value)
        await self.update(schema.SessionInfoUpdate(session_update="session_info_update", field_meta=meta))

    @contextlib.asynccontextmanager
    async def tool(
        self, title: str, kind: schema.ToolKind, given: dict[str, Any], path: Path | None = None
    ) -> "AsyncIterator[ToolCall]":
        """Show a tool call while the body does it; what the body raises is shown as its failure."""
        call = ToolCall(self, title, kind, given, path)
        await call.begin()
        try:
            yield call
        except BaseException as fault:
            await call.end("failed", _shown_fault(fault))
            raise
        await call.end("completed", call.output)

    async def update(self, update: Any) -> None:
        """Send one update."""
        await self._client.session_update(self._session_id, update)

    async def ask(self, call: schema.ToolCallUpdate) -> None:
        """Ask for leave. Raises ToolFault, with the reason where there is one, when it is not given."""
        answer = await self._client.request_permission(self._session_id, call, _OPTIONS)
        outcome = answer.outcome
        if isinstance(outcome, schema.AllowedOutcome) and outcome.option_id in _ALLOWING:
            return
        reason = (answer.field_meta or {}).get("reason")
        raise ToolFault(str(reason or "The user refused this. Do not try it again in another way."))


class ToolCall:
    """One tool call as the client sees it. `output` is shown at its end, unless it shows a diff."""

    def __init__(
        self, reporter: Reporter, title: str, kind: schema.ToolKind, given: dict[str, Any], path: Path | None
    ) -> None:
        self.output: str | None = None
        self._reporter = reporter
        self._id = uuid4().hex  # a model's own ids may come again in the next turn
        self._title = title
        self._kind = kind
        self._given = given
        self._locations = [] if path is None else [schema.ToolCallLocation(path=str(path))]
        self._content: list[Any] | None = None

    async def begin(self) -> None:
        """Show the call."""
        await self._reporter.update(
            acp.start_tool_call(
                self._id,
                self._title,
                kind=self._kind,
                status="pending",
                locations=self._locations,
                raw_input=self._given,
            )
        )

    async def diff(self, path: Path, old: str | None, new: str) -> None:
        """Show what a file was, None if it is new, and what it is to be."""
        self._content = [acp.tool_diff_content(str(path), new, old)]
        await self._reporter.update(acp.update_tool_call(self._id, content=self._content))

    async def ask(self) -> None:
        """Ask for leave to do it; ToolFault if it is not given."""
        await self._reporter.ask(
            schema.ToolCallUpdate(
                tool_call_id=self._id,
                title=self._title,
                kind=self._kind,
                content=self._content,
                locations=self._locations,
                raw_input=self._given,
            )
        )
        await self._reporter.update(acp.update_tool_call(self._id, status="in_progress"))

    async def end(self, status: schema.ToolCallStatus, output: str | None) -> None:
        """Show how it ended."""
        shown = None if output is None else [acp.tool_content(acp.text_block(output))]
        content = None if shown is None else [*(self._content or []), *shown]
        await self._reporter.update(acp.update_tool_call(self._id, status=status, content=content))


def tokens_of(taken: RunUsage) -> schema.Usage:
    """Return the counts apart, as most providers bill them: the library counts cached tokens as input too."""
    cached = taken.cache_read_tokens + taken.cache_write_tokens
    return schema.Usage(
        input_tokens=max(0, taken.input_tokens - cached),
        output_tokens=taken.output_tokens,
        cached_read_tokens=taken.cache_read_tokens,
        cached_write_tokens=taken.cache_write_tokens,
        total_tokens=taken.input_tokens + taken.output_tokens,
    )


def _shown_fault(fault: BaseException) -> str:
    if isinstance(fault, asyncio.CancelledError):
        return "cancelled"
    return str(fault) if isinstance(fault, ToolFault) else f"failed: {type(fault).__name__}"
