"""Serve the agent's side of the protocol: sessions that each run one turn at a time."""

import asyncio
import logging
from collections.abc import Callable, Sequence
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
from sidecar.subagents.runners.builtin.model.failures import ModelFailure
from sidecar.subagents.runners.builtin.reporter import Client, Reporter, tokens_of
from sidecar.subagents.runners.builtin.tools.server import ToolServer
from sidecar.subagents.runners.builtin.tools.workspace import ToolError, Workspace

logger = logging.getLogger(__name__)

MAX_SESSIONS = 100
_INVALID = -32602
_FAILED = -32603

Converse = Callable[[Workspace, Reporter, Sequence[ToolServer]], Conversation]
"""Starts a conversation in a folder, with the tools of started servers."""


@dataclass
class _Session:
    conversation: Conversation
    servers: Sequence[ToolServer] = ()
    turn: asyncio.Task[StopReason] | None = None


_MODES = schema.SessionModeState(
    current_mode_id="default",
    available_modes=[schema.SessionMode(id="default", name="Ask before edits and commands")],
)
"""The only mode."""


class BuiltinAgent:
    """Handle the requests of a client.

    `redact` removes secrets from error messages. `model` is the model name that sessions announce.
    """

    def __init__(self, converse: Converse, redact: Callable[[str], str], model: str) -> None:
        self._converse = converse
        self._redact = redact
        self._model = model
        self._sessions: dict[str, _Session] = {}
        self._client: Client

    def on_connect(self, conn: Any) -> None:
        """Set the client to send updates to (SDK)."""
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        """Agree on the supported protocol version."""
        return schema.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_capabilities=schema.AgentCapabilities(),
            agent_info=schema.Implementation(name="subagent-sidecar", version=__version__),
        )

    async def new_session(
        self, cwd: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> schema.NewSessionResponse:
        """Start a session in the folder `cwd`, and the servers of the session."""
        if not await asyncio.to_thread(_is_absolute_folder, cwd):
            raise RequestError(_INVALID, f"cwd {cwd!r} is not the absolute path of a folder")
        if len(self._sessions) >= MAX_SESSIONS:
            raise RequestError(_INVALID, f"there are {MAX_SESSIONS} sessions already; close one")
        session_id = uuid4().hex
        reporter = Reporter(self._client, session_id)
        servers = await _started(mcp_servers or ())
        conversation = self._converse(Workspace(Path(cwd)), reporter, servers)
        self._sessions[session_id] = _Session(conversation, servers)
        return schema.NewSessionResponse(
            session_id=session_id, modes=_MODES, config_options=[_model_option(self._model)]
        )

    async def prompt(self, prompt: list[Any], session_id: str, **meta: Any) -> schema.PromptResponse:
        """Answer a prompt. Return at the end of the turn, with the tokens that it used."""
        session = self._session(session_id)
        if session.turn is not None:
            raise RequestError(_INVALID, f"session {session_id} is still answering; cancel that first")
        is_last = is_last_turn(meta)
        before = copy(session.conversation.usage)
        turn = session.conversation.turn(_text(prompt), is_last=is_last)
        session.turn = asyncio.create_task(turn, name="turn")
        try:
            stop_reason = await self._ended(session.turn)
        except Exception as error:  # including a library's own: the client gets a text, not a traceback
            logger.warning("turn of session %s failed: %s", session_id, type(error).__name__)
            text = self._redact(str(error) or type(error).__name__)
            raise RequestError(_FAILED, text, _error_data(error)) from None
        finally:
            session.turn.cancel()  # in case this request itself is cancelled, as at the end of the input
            session.turn = None
        used = tokens_of(session.conversation.usage - before)
        return schema.PromptResponse(stop_reason=stop_reason, usage=used)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Cancel the current turn, which then answers its prompt."""
        session = self._sessions.get(session_id)
        if session is not None and session.turn is not None:
            session.turn.cancel()

    async def close_session(self, session_id: str, **_: Any) -> schema.CloseSessionResponse:
        """Cancel the current turn of a session and remove the session."""
        await self.cancel(session_id)
        session = self._sessions.pop(session_id, None)
        if session is not None:
            await _stop(session.servers)
        return schema.CloseSessionResponse()

    async def aclose(self) -> None:
        """Stop the servers of all sessions."""
        await _stop([server for session in self._sessions.values() for server in session.servers])

    async def _ended(self, turn: asyncio.Task[StopReason]) -> StopReason:
        await asyncio.wait({turn})
        return "cancelled" if turn.cancelled() else turn.result()

    def _session(self, session_id: str) -> _Session:
        if session_id not in self._sessions:
            raise RequestError(_INVALID, f"there is no session {session_id!r}")
        return self._sessions[session_id]


async def _started(described: Sequence[Any]) -> Sequence[ToolServer]:
    """Start the servers of a session. Raises RequestError, with none of them running."""
    servers: list[ToolServer] = []
    try:
        for each in described:
            if not isinstance(each, schema.McpServerStdio):
                reason = f"this agent supports only servers that a command starts, and {each.name} is not one"
                raise ToolError(reason)
            env = {variable.name: variable.value for variable in each.env}
            servers.append(ToolServer(each.name, [each.command, *each.args], env))
            await servers[-1].open()
    except ToolError as error:
        await _stop(servers)
        raise RequestError(_INVALID, str(error)) from error
    return servers


async def _stop(servers: Sequence[ToolServer]) -> None:
    await asyncio.gather(*(server.aclose() for server in servers))


def _model_option(model: str) -> schema.SessionConfigOptionSelect:
    only = schema.SessionConfigSelectOption(value=model, name=model)
    return schema.SessionConfigOptionSelect(
        id="model", name="Model", category="model", type="select", current_value=model, options=[only]
    )


def _is_absolute_folder(path: str) -> bool:
    return Path(path).is_absolute() and Path(path).is_dir()


def _text(prompt: list[Any]) -> str:
    """Return a prompt's text, with the addresses of its links."""
    return "\n".join(
        getattr(block, "text", None) or f"[{getattr(block, 'uri', block.type)}]" for block in prompt
    )


def _error_data(error: Exception) -> dict[str, Any]:
    """Return the `data` of a prompt's error; see `meta`."""
    if not isinstance(error, ModelFailure):
        return {"errorKind": "other"}
    known = {"status": error.status, "retryAfterSeconds": error.retry_after_seconds}
    return {"errorKind": error.kind, **{name: value for name, value in known.items() if value is not None}}
