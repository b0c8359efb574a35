"""The agent's side of the protocol: sessions, each with a conversation, and one turn at a time in each."""

import asyncio
import logging
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import acp
from acp import schema
from acp.exceptions import RequestError

from sidecar import __version__
from sidecar.subagents.runners.builtin.conversation import Conversation, StopReason
from sidecar.subagents.runners.builtin.meta import is_last_turn
from sidecar.subagents.runners.builtin.model.faults import ModelFault
from sidecar.subagents.runners.builtin.reporter import Client, Reporter, tokens_of
from sidecar.subagents.runners.builtin.tools.workspace import Workspace

logger = logging.getLogger(__name__)

MAX_SESSIONS = 100
_INVALID = -32602
_FAILED = -32603

Converse = Callable[[Workspace, Reporter], Conversation]
"""Begins a conversation in a folder."""


@dataclass
class _Session:
    conversation: Conversation
    turn: asyncio.Task[StopReason] | None = None


_MODES = schema.SessionModeState(
    current_mode_id="default",
    available_modes=[schema.SessionMode(id="default", name="Ask before edits and commands")],
)
"""The only mode there is."""


class BuiltinAgent:
    """Handles the requests of a client.

    `conceal` removes secrets from the text of a fault; `model` is the name of the model, which it announces.
    """

    def __init__(self, converse: Converse, conceal: Callable[[str], str], model: str) -> None:
        self._converse = converse
        self._conceal = conceal
        self._model = model
        self._sessions: dict[str, _Session] = {}
        self._client: Client

    def on_connect(self, conn: Any) -> None:
        """Learn whom to tell (SDK)."""
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        """Agree on the one version there is."""
        return schema.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_capabilities=schema.AgentCapabilities(),
            agent_info=schema.Implementation(name="subagent-sidecar", version=__version__),
        )

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        """Begin a session in the folder `cwd`."""
        if not await asyncio.to_thread(_is_absolute_folder, cwd):
            raise RequestError(_INVALID, f"cwd {cwd!r} is no absolute path of a folder")
        if len(self._sessions) >= MAX_SESSIONS:
            raise RequestError(_INVALID, f"there are {MAX_SESSIONS} sessions already; close one")
        session_id = uuid4().hex
        reporter = Reporter(self._client, session_id)
        self._sessions[session_id] = _Session(self._converse(Workspace(Path(cwd)), reporter))
        return schema.NewSessionResponse(
            session_id=session_id, modes=_MODES, config_options=[_model_option(self._model)]
        )

    async def prompt(self, prompt: list[Any], session_id: str, **meta: Any) -> schema.PromptResponse:
        """Answer a prompt; the reply comes at the end of the turn, with the tokens that the turn took."""
        session = self._session(session_id)
        if session.turn is not None:
            raise RequestError(_INVALID, f"session {session_id} is still answering; cancel that first")
        is_last = is_last_turn(meta)
        before = copy(session.conversation.usage)
        turn = session.conversation.turn(_text(prompt), is_last=is_last)
        session.turn = asyncio.create_task(turn, name="turn")
        try:
            stop_reason = await self._ended(session.turn)
        except Exception as fault:  # also one of a library's own: the client gets a text, not a traceback
            logger.warning("turn of session %s failed: %s", session_id, type(fault).__name__)
            text = self._conceal(str(fault) or type(fault).__name__)
            raise RequestError(_FAILED, text, _error_data(fault)) from None
        finally:
            session.turn.cancel()  # where this request itself is cancelled, as at the end of the input
            session.turn = None
        taken = tokens_of(session.conversation.usage - before)
        return schema.PromptResponse(stop_reason=stop_reason, usage=taken)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """End the turn under way; its prompt is then answered."""
        session = self._sessions.get(session_id)
        if session is not None and session.turn is not None:
            session.turn.cancel()

    async def close_session(self, session_id: str, **_: Any) -> schema.CloseSessionResponse:
        """End a session and forget it."""
        await self.cancel(session_id)
        self._sessions.pop(session_id, None)
        return schema.CloseSessionResponse()

    async def _ended(self, turn: asyncio.Task[StopReason]) -> StopReason:
        await asyncio.wait({turn})
        return "cancelled" if turn.cancelled() else turn.result()

    def _session(self, session_id: str) -> _Session:
        if session_id not in self._sessions:
            raise RequestError(_INVALID, f"there is no session {session_id!r}")
        return self._sessions[session_id]


def _model_option(model: str) -> schema.SessionConfigOptionSelect:
    only = schema.SessionConfigSelectOption(value=model, name=model)
    return schema.SessionConfigOptionSelect(
        id="model", name="Model", category="model", type="select", current_value=model, options=[only]
    )


def _is_absolute_folder(path: str) -> bool:
    return Path(path).is_absolute() and Path(path).is_dir()


def _text(prompt: list[Any]) -> str:
    """Return a prompt's text; what it links to is named."""
    return "\n".join(
        getattr(block, "text", None) or f"[{getattr(block, 'uri', block.type)}]" for block in prompt
    )


def _error_data(fault: Exception) -> dict[str, Any]:
    """Return the `data` of a prompt's error, see `meta`."""
    if not isinstance(fault, ModelFault):
        return {"errorKind": "other"}
    return {"errorKind": fault.kind, **({} if fault.status is None else {"status": fault.status})}
