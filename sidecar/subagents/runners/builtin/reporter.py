"""Report one session to the client: text, thoughts, a plan, usage and tool calls."""

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
from sidecar.subagents.runners.builtin.tools.workspace import ToolError

_OPTIONS = [
    schema.PermissionOption(option_id="allow", name="Allow", kind="allow_once"),
    # The client remembers the answer: this agent asks again and gets the same answer.
    schema.PermissionOption(option_id="always", name="Always allow", kind="allow_always"),
    schema.PermissionOption(option_id="reject", name="Reject", kind="reject_once"),
]
_ALLOWING = ("allow", "always")
_TITLE_CHARS = 200


class Client(Protocol):
    """The part of the connection that a session uses."""

    async def session_update(self, session_id: str, update: Any) -> None:
        """Send an update."""

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption]
    ) -> schema.RequestPermissionResponse:
        """Ask for permission and wait for the answer."""


class Reporter:
    """Send the updates of one session to the client."""

    def __init__(self, client: Client, session_id: str) -> None:
        self._client = client
        self._session_id = session_id

    async def say(self, text: str) -> None:
        """Send a piece of the answer."""
        await self.update(acp.update_agent_message_text(text))

    async def think(self, text: str) -> None:
        """Send a piece of the model's reasoning."""
        await self.update(acp.update_agent_thought_text(text))

    async def plan(self, entries: Sequence[schema.PlanEntry]) -> None:
        """Show a plan instead of the previous one."""
        await self.update(acp.update_plan(entries))

    async def usage(self, used: int, size: int, taken: RunUsage) -> None:
        """Report the tokens in the context, the size of the context, and the session's usage so far."""
        cost = None if taken.cost is None else schema.Cost(amount=float(taken.cost), currency="USD")
        tokens = tokens_of(taken)
        meta = in_meta("usage", tokens.model_dump(by_alias=True, exclude={"total_tokens"}, exclude_none=True))
        await self.update(
            schema.UsageUpdate(
                session_update="usage_update", used=used, size=size, cost=cost, field_meta=meta
            )
        )

    async def notice(self, text: str) -> None:
        """Report a text for the log."""
        await self._inform("notice", {"text": text})

    async def retrying(
        self, attempt: int, status: int | None, text: str, retry_after_seconds: float | None
    ) -> None:
        """Report that a request to the model failed and is repeated; `attempt` counts the failures.

        `retry_after_seconds` is how long the server asks to wait.
        """
        known = {"status": status, "retryAfterSeconds": retry_after_seconds}
        given = {name: value for name, value in known.items() if value is not None}
        await self._inform("retrying", {"attempt": attempt, **given, "text": text})

    async def _inform(self, member: str, value: dict[str, Any]) -> None:
        meta = in_meta(member, value)
        await self.update(schema.SessionInfoUpdate(session_update="session_info_update", field_meta=meta))

    @contextlib.asynccontextmanager
    async def tool(
        self, title: str, kind: schema.ToolKind, given: dict[str, Any], path: Path | None = None
    ) -> "AsyncIterator[ToolCall]":
        """Show a tool call while the body runs; show an exception of the body as the call's failure."""
        call = ToolCall(self, title, kind, given, path)
        await call.begin()
        try:
            yield call
        except BaseException as error:
            await call.end("failed", _error_text(error))
            raise
        await call.end("completed", call.output)

    async def invalid_call(self, name: str) -> None:
        """Show a tool call that cannot run: its tool does not exist, or its arguments are invalid."""
        call = ToolCall(self, one_line(name), "other", {}, None)
        await call.begin()
        await call.end("failed", "The tool does not exist, or its arguments are invalid.")

    async def update(self, update: Any) -> None:
        """Send one update."""
        await self._client.session_update(self._session_id, update)

    async def ask(self, call: schema.ToolCallUpdate) -> None:
        """Ask for permission. Raises ToolError, with the reason if there is one, if it is refused."""
        answer = await self._client.request_permission(self._session_id, call, _OPTIONS)
        outcome = answer.outcome
        if isinstance(outcome, schema.AllowedOutcome) and outcome.option_id in _ALLOWING:
            return
        reason = (answer.field_meta or {}).get("reason")
        raise ToolError(str(reason or "The user refused this. Do not try it again in another way."))


class ToolCall:
    """One tool call as the client sees it. Its end shows `output`, after the diff if there is one."""

    def __init__(
        self, reporter: Reporter, title: str, kind: schema.ToolKind, given: dict[str, Any], path: Path | None
    ) -> None:
        self.output: str | None = None
        self._reporter = reporter
        self._id = uuid4().hex  # a model may reuse its own IDs in the next turn
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
        """Show a file's old text, None if it is new, and its new text."""
        self._content = [acp.tool_diff_content(str(path), new, old)]
        await self._reporter.update(acp.update_tool_call(self._id, content=self._content))

    async def ask(self) -> None:
        """Ask for permission to run the call. Raises ToolError if it is refused."""
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
        """Show the end of the call."""
        shown = None if output is None else [acp.tool_content(acp.text_block(output))]
        content = None if shown is None else [*(self._content or []), *shown]
        await self._reporter.update(acp.update_tool_call(self._id, status=status, content=content))


def tokens_of(taken: RunUsage) -> schema.Usage:
    """Return cached tokens separately, as most providers bill them; the library counts them as input."""
    cached = taken.cache_read_tokens + taken.cache_write_tokens
    return schema.Usage(
        input_tokens=max(0, taken.input_tokens - cached),
        output_tokens=taken.output_tokens,
        cached_read_tokens=taken.cache_read_tokens,
        cached_write_tokens=taken.cache_write_tokens,
        total_tokens=taken.input_tokens + taken.output_tokens,
    )


def one_line(title: str) -> str:
    """Return the title of a call without line breaks, cut to its limit."""
    line = " ".join(title.split())
    return line if len(line) <= _TITLE_CHARS else f"{line[:_TITLE_CHARS]}…"


def _error_text(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return str(error) if isinstance(error, ToolError) else f"failed: {type(error).__name__}"
