"""Send what a scripted agent does to its client, at a pace that a person can follow."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import acp
from acp import schema

_OPTIONS = [
    schema.PermissionOption(option_id="allow", name="Allow", kind="allow_once"),
    # The client remembers the answer: this agent asks again and gets the same answer.
    schema.PermissionOption(option_id="always", name="Always allow", kind="allow_always"),
    schema.PermissionOption(option_id="reject", name="Reject", kind="reject_once"),
]
_WORDS_A_PAUSE = 6
_PAUSES_A_STEP = 8
"""Words come this many times faster than steps."""
_WORDS = re.compile(rf"(?:\s*\S+){{1,{_WORDS_A_PAUSE}}}\s*")


class AgentUpdates:
    """Send the updates of one session; `pace` is the pause after each step, in seconds."""

    def __init__(self, client: Any, session_id: str, pace: float) -> None:
        self._client = client
        self._session_id = session_id
        self._pace = pace

    async def say(self, text: str) -> None:
        """Send a text of the agent, a few words at a time."""
        for words in _WORDS.findall(text):
            await self._send(acp.update_agent_message_text(words))
            await asyncio.sleep(self._pace / _PAUSES_A_STEP)

    async def think(self, text: str) -> None:
        """Send a thought of the agent."""
        await self._send(acp.update_agent_thought_text(text))
        await asyncio.sleep(self._pace)

    async def plan(self, steps: Sequence[str], done: int) -> None:
        """Show a plan whose first `done` steps are done, with the next one in progress."""
        entries = [
            schema.PlanEntry(content=step, priority="medium", status=_status(number, done))
            for number, step in enumerate(steps)
        ]
        await self._send(acp.update_plan(entries))

    async def search(self, pattern: str, found: str, path: Path, line: int) -> None:
        """Show a search and where it found something."""
        await self._call(f"Search for {pattern}", "search", found, path, line)

    async def read(self, path: Path, text: str) -> None:
        """Show that a file was read."""
        await self._call(f"Read {path.name}", "read", text, path)

    async def edit(self, path: Path, before: str, after: str) -> bool:
        """Ask to change a file; change it if that is allowed, and return whether it was."""
        call = acp.start_tool_call(
            uuid4().hex,
            f"Edit {path.name}",
            kind="edit",
            status="pending",
            content=[acp.tool_diff_content(str(path), after, before)],
            locations=[schema.ToolCallLocation(path=str(path))],
        )
        await self._send(call)
        asked = schema.ToolCallUpdate(tool_call_id=call.tool_call_id, title=call.title, kind=call.kind)
        answer = await self._client.request_permission(self._session_id, asked, _OPTIONS)
        outcome = answer.outcome
        allowed: bool = outcome.outcome == "selected" and outcome.option_id != "reject"
        if allowed:
            await asyncio.to_thread(path.write_text, after)
        await self._send(acp.update_tool_call(call.tool_call_id, status="completed" if allowed else "failed"))
        await asyncio.sleep(self._pace)
        return allowed

    async def _call(self, title: str, kind: Any, output: str, path: Path, line: int | None = None) -> None:
        call = acp.start_tool_call(
            uuid4().hex,
            title,
            kind=kind,
            status="in_progress",
            locations=[schema.ToolCallLocation(path=str(path), line=line)],
        )
        await self._send(call)
        await asyncio.sleep(self._pace)
        content = [acp.tool_content(acp.text_block(output))]
        await self._send(acp.update_tool_call(call.tool_call_id, status="completed", content=content))

    async def _send(self, update: Any) -> None:
        await self._client.session_update(self._session_id, update)


def _status(number: int, done: int) -> Any:
    if number < done:
        return "completed"
    return "in_progress" if number == done else "pending"
