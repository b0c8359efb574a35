"""The agent's side of the Agent Client Protocol, and the script that it follows.

It needs no model. In about ten seconds it plans, searches, reads, and asks before it edits a file of the
sample project in the folder of its session.
"""

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import acp
from acp import schema

from sidecar.cli.demo.example.updates import AgentUpdates

PACE_SECONDS = 0.9
"""The pause after each step, so that a person can watch."""
FILE = "prices.py"
_WRONG = "sum(prices) - discount"
_RIGHT = "round(sum(prices) * (1 - discount / 100), 2)"
_STEPS = ("Find where the discount is applied", "Correct the calculation", "Say what changed")

_HELLO = (
    "This is an example. It follows a script, without a model, in a sample project of its own: "
    "none of your files is read.\n\n"
)
_FOUND = (
    f"\n\n`total` in `{FILE}` subtracts the discount as an amount, although it is a percentage. "
    "I ask before I change the file."
)
_DONE = f"""

The discount is a percentage now:

```python
return {_RIGHT}
```

| order | before | now |
|---|--:|--:|
| 10 + 20, 10 % off | 20.00 | 27.00 |
| 80, 25 % off | 55.00 | 60.00 |

Your own agents work like this. See what changed below; for a goal of your own, use a real agent.
"""
_REJECTED = "\n\nYou rejected the edit, so nothing changed. A real agent would now try something else."
_UNFAMILIAR = (
    "This is only an example. It follows a script, without a model, and can do nothing but correct one "
    "mistake in a sample project of its own. It did not work on this goal and read none of your files.\n\n"
    "Launch the goal again with a real agent."
)


class ExampleAgent:
    """The agent's side of the protocol: one script for each prompt."""

    def __init__(self, pace: float = PACE_SECONDS) -> None:
        self._pace = pace
        self._client: Any = None
        self._folders: dict[str, Path] = {}
        self._turns: dict[str, asyncio.Task[bool]] = {}

    def on_connect(self, conn: Any) -> None:
        """Set the client to send updates to (SDK)."""
        self._client = conn

    async def initialize(self, **_: Any) -> schema.InitializeResponse:
        """Agree on the supported protocol version."""
        return schema.InitializeResponse(protocol_version=acp.PROTOCOL_VERSION)

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        """Start a session in the folder `cwd`."""
        session_id = uuid4().hex
        self._folders[session_id] = Path(cwd)
        return schema.NewSessionResponse(session_id=session_id)

    async def prompt(self, session_id: str, **_: Any) -> schema.PromptResponse:
        """Follow the script once, whatever the prompt."""
        updates = AgentUpdates(self._client, session_id, self._pace)
        turn = asyncio.create_task(follow_script(updates, self._folders[session_id]), name="example")
        self._turns[session_id] = turn
        await asyncio.wait({turn})
        if turn.cancelled():
            return schema.PromptResponse(stop_reason="cancelled")
        return schema.PromptResponse(stop_reason="end_turn" if turn.result() else "refusal")

    async def cancel(self, session_id: str, **_: Any) -> None:
        """End the current turn."""
        turn = self._turns.get(session_id)
        if turn is not None:
            turn.cancel()


async def follow_script(updates: AgentUpdates, folder: Path) -> bool:
    """Find the mistake in the sample project, and correct it if the client allows that.

    Returns false in another folder, where a person has launched a goal of their own.
    """
    path = folder / FILE
    before = path.read_text() if path.is_file() else ""
    if _WRONG not in before:
        await updates.say(_UNFAMILIAR)
        return False
    await updates.say(_HELLO)
    await updates.plan(_STEPS, done=0)
    await updates.think("The totals are too low for small discounts. Where is the discount applied?")
    line = before[: before.index(_WRONG)].count("\n") + 1
    await updates.search("discount", f"{path.name}:{line}: return {_WRONG}", path, line)
    await updates.read(path, before)
    await updates.say(_FOUND)
    await updates.plan(_STEPS, done=1)
    if not await updates.edit(path, before, before.replace(_WRONG, _RIGHT)):
        await updates.say(_REJECTED)
        return True
    await updates.plan(_STEPS, done=2)
    await updates.say(_DONE)
    await updates.plan(_STEPS, done=3)
    return True
