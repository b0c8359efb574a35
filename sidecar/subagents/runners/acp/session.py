"""A session with an agent over the protocol's SDK. The first run imports it, since that takes a second."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import acp
from acp import schema
from acp.exceptions import RequestError
from acp.interfaces import Client
from pydantic import ValidationError

from sidecar import __version__
from sidecar.subagents.equipment.attachments import Attached
from sidecar.subagents.equipment.servers import Server
from sidecar.subagents.runners.acp.mode_control import REMEDY, SessionModes
from sidecar.subagents.runners.acp.mode_state import Choice
from sidecar.subagents.runners.acp.permissions import Permissions
from sidecar.subagents.runners.acp.setup.configuration import Configuration, wanted_choice
from sidecar.subagents.runners.acp.setup.equipment import attachment_blocks, directory_list, server_list
from sidecar.subagents.runners.acp.setup.requested import Requested
from sidecar.subagents.runners.acp.turn import AgentError, Turn
from sidecar.subagents.runners.acp.wire import REQUEST_ID, AgentWire
from sidecar.subagents.runners.output.model_errors import model_error

logger = logging.getLogger(__name__)

_AUTH_REQUIRED = -32000
_INTERNAL_ERROR = -32603
_STEER_SECONDS = 10.0
_CLIENT = schema.Implementation(name="subagent-sidecar", version=__version__)


class Session:
    """A session with an agent. Open it once, then send one prompt at a time. Errors are AgentErrors."""

    def __init__(self, wire: AgentWire, permissions: Permissions, modes: SessionModes) -> None:
        self._permissions = permissions
        self._modes = modes
        self.is_cancelled = False
        """Whether the sidecar cancelled the current turn."""
        # Without the client's file and terminal access, the agent uses its own, inside the run's processes.
        self._agent = acp.connect_to_agent(_client(permissions), wire)
        self._capabilities = schema.AgentCapabilities()
        self.can_steer = False
        """Whether the agent accepts messages during a turn."""
        self.on_initialized: Callable[[Mapping[str, Any]], object] = lambda _: None
        """Called with the agent's answer to `initialize`."""
        self._sign_in = "sign in with the agent's own program"
        self.requested = Requested()
        """What was chosen for the session, until the agent contradicts it."""
        self._id = ""
        self.lasting_id: str | None = None
        """The ID with which the session can be resumed, if the agent can do that."""
        """The session's ID, if a later process of the agent can resume the session."""
        self._replies: set[asyncio.Task[None]] = set()

    async def open(
        self,
        cwd: Path,
        wanted: Configuration,
        sign_in: str,
        former: str | None = None,
        meta: Mapping[str, Any] | None = None,
        servers: Sequence[Server] = (),
        directories: Sequence[Path] = (),
    ) -> bool:
        """Negotiate the protocol and open a session in `cwd`, configured as `wanted`, if the agent can.

        `sign_in` is the remedy if the agent requires authentication. `meta` is the `_meta` of the request
        that opens the session, and `servers` and `directories` are what the agent gets for it. Resumes the
        session `former` if the agent supports that and still has it; returns whether it did.
        """
        self._sign_in = sign_in
        try:
            answer = await self._agent.initialize(
                protocol_version=acp.PROTOCOL_VERSION,
                client_capabilities=schema.ClientCapabilities(),
                client_info=_CLIENT,
            )
            _check_version(answer.protocol_version)
            capabilities = answer.agent_capabilities or schema.AgentCapabilities()
            self._capabilities = capabilities
            self.can_steer = _can_steer(answer.field_meta)
            self.on_initialized(_json(answer))
            given = {
                "cwd": str(cwd),
                "mcp_servers": server_list(servers, capabilities),
                **directory_list(directories, capabilities),
                **(meta or {}),
            }
            resumed = None if former is None else await self._resume(former, capabilities, given)
            session = resumed or await self._agent.new_session(**given)
            self._id = former if resumed and former else session.session_id
            if capabilities.load_session or _resumes(capabilities):
                self.lasting_id = self._id
            await self._configure(session, wanted, is_new=resumed is None)
            return resumed is not None
        except RequestError as error:
            raise _agent_error(error, self._sign_in) from error
        except ValidationError as error:
            raise _invalid_answer(error) from error

    @property
    def id(self) -> str:
        """The ID of the session, empty before it is open."""
        return self._id

    def unmet(self) -> Iterator[dict[str, Any]]:
        """Yield an event for each choice that the agent does not follow; each once."""
        return self.requested.unmet(self._modes.state.options)

    def blocks(self, attachments: Sequence[Attached], *, loses_images: bool = False) -> list[Any]:
        """Return the blocks of a prompt for its attachments; see `attachment_blocks`. Blocking."""
        return list(attachment_blocks(attachments, self._capabilities, loses_images=loses_images))

    async def steer(self, text: str) -> bool:
        """Send a message into the current turn. Return False if the agent does not accept it."""
        params = {
            "sessionId": self._id,
            "prompt": [{"type": "text", "text": text}],
            # The agent then leaves a message to us that comes after the turn.
            "_meta": {"steering": {"idleBehavior": "promptRequired"}},
        }
        try:
            async with asyncio.timeout(_STEER_SECONDS):
                answer = await self._agent.ext_method("session/steering", params)
        except (RequestError, ValidationError, ConnectionError, TimeoutError) as error:
            logger.info("the agent did not accept a message during its turn: %s", error)
            return False
        return answer.get("outcome") == "injected"

    def prompt(self, text: str, *, is_last: bool = False, blocks: Sequence[Any] = ()) -> Turn:
        """Start a turn, which ends with the reply to the prompt. `blocks` are its attachments.

        `is_last` asks an agent that supports `lastTurn` not to use tools.
        """
        self.is_cancelled = False
        turn = Turn()
        meta: dict[str, Any] = {"sidecar": {"lastTurn": True}} if is_last else {}
        reply = asyncio.create_task(
            self._await_reply([acp.text_block(text), *blocks], meta, turn), name="prompt"
        )
        self._replies.add(reply)
        reply.add_done_callback(self._replies.discard)
        return turn

    async def cancel(self) -> None:
        """Ask the agent to end its turn; `Turn.ended` waits for the end. Raises ConnectionError."""
        self.is_cancelled = True
        if self._id:
            await self._agent.cancel(session_id=self._id)

    async def aclose(self) -> None:
        """Close the connection. A task that waits for a turn gets a ConnectionError."""
        await self._agent.close()
        if self._replies:
            await asyncio.wait(set(self._replies), timeout=1)

    async def _resume(
        self, session_id: str, capabilities: schema.AgentCapabilities, given: Mapping[str, Any]
    ) -> Any:
        """Return the agent's answer; None if it cannot resume sessions or no longer has this one."""
        resume = self._agent.resume_session if _resumes(capabilities) else self._agent.load_session
        if not (capabilities.load_session or _resumes(capabilities)):
            return None
        try:
            return await resume(session_id=session_id, **given)
        except RequestError as error:
            logger.info("session %s cannot be resumed: %s", session_id, error)
            return None

    async def _await_reply(self, blocks: list[Any], meta: dict[str, Any], turn: Turn) -> None:
        try:
            reply = await self._agent.prompt(session_id=self._id, prompt=blocks, **meta)
        except RequestError as error:
            failure = _agent_error(error, self._sign_in)
            failure.kind = failure.kind or "other"
            turn.fail(failure)
        except ValidationError as error:
            turn.fail(_invalid_answer(error))
        except ConnectionError as error:
            turn.fail(error)
        else:
            turn.end(
                self._stop_reason(reply), reply.model_dump(mode="json", by_alias=True, exclude_none=True)
            )

    def _stop_reason(self, reply: schema.PromptResponse) -> str:
        """Return the stop reason; codex reports `cancelled` for a turn that it ends after a refusal."""
        by_refusal = self._permissions.has_refused and not self.is_cancelled
        return "end_turn" if reply.stop_reason == "cancelled" and by_refusal else reply.stop_reason

    async def _configure(self, session: Any, wanted: Configuration, *, is_new: bool) -> None:
        """Choose the model, the effort and the mode, in this order, since each depends on those before."""
        self._modes.open(self._id, _json(session))
        for category, name, value in wanted.selections():
            # A resumed session has its model, and not every agent offers the choice again.
            if is_new or self._modes.option(category) is not None:
                before = self._modes.option(category)
                choice = wanted_choice(before, name, value)
                self.requested.add(category, value, None if before is None else before.current)
                reply = await self._agent.set_config_option(
                    config_id=str(choice.option), session_id=self._id, value=value
                )
                self._modes.selected(category, choice, _json(reply).get("configOptions"))
        await self._modes.make_asking(self._choose_mode, wanted.mode)

    async def _choose_mode(self, choice: Choice, mode: str) -> Mapping[str, Any]:
        """Set a mode and return the agent's answer. Raises AgentError if the agent refuses."""
        try:
            if choice.option is None:
                return _json(await self._agent.set_session_mode(session_id=self._id, mode_id=mode))
            return _json(
                await self._agent.set_config_option(session_id=self._id, config_id=choice.option, value=mode)
            )
        except RequestError as error:
            raise AgentError(
                f"the agent is in mode {choice.current!r} and refuses mode {mode!r} ({error}); {REMEDY}"
            ) from error


def _client(permissions: Permissions) -> Client:
    class Handlers:
        """Handle permission requests, the only requests of an agent that the wire passes to the SDK."""

        async def request_permission(
            self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[Any], **meta: Any
        ) -> schema.RequestPermissionResponse:
            call = tool_call.model_dump(mode="json", by_alias=True, exclude_none=True)
            offered = [each.model_dump(mode="json", by_alias=True) for each in options]
            params = {"sessionId": session_id, "toolCall": call, "options": offered}
            answer = await permissions.ask(params, meta.get(REQUEST_ID))
            reason = {"reason": answer.reason} if answer.reason else None
            outcome: schema.AllowedOutcome | schema.DeniedOutcome
            if answer.option is None:
                outcome = schema.DeniedOutcome(outcome="cancelled")
            else:
                outcome = schema.AllowedOutcome(outcome="selected", option_id=answer.option.option_id)
            return schema.RequestPermissionResponse(outcome=outcome, field_meta=reason)

    handlers: Any = Handlers()
    client: Client = handlers
    return client


def _json(answer: Any) -> Mapping[str, Any]:
    """Return an answer of the agent as JSON; empty for null, which agents may send."""
    if answer is None:
        return {}
    found: Mapping[str, Any] = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


def _can_steer(meta: Mapping[str, Any] | None) -> bool:
    """Return whether the agent announces `_session/steering`, as claude-agent-acp and codex-acp do."""
    steering = (meta or {}).get("steering")
    return isinstance(steering, Mapping) and steering.get("supported") is True


def _check_version(version: int) -> None:
    if version != acp.PROTOCOL_VERSION:
        raise AgentError(
            f"the agent speaks version {version} of the protocol, but the sidecar speaks version "
            f"{acp.PROTOCOL_VERSION}; install a version of the agent that supports it"
        )


def _agent_error(error: RequestError, sign_in: str) -> AgentError:
    if error.code == _AUTH_REQUIRED:
        return AgentError(
            f"the agent requires authentication ({error}); {sign_in}", "auth", needs_sign_in=True
        )
    details = error.data.get("details") if isinstance(error.data, Mapping) else error.data
    words = f"{error}{f' ({details})' if details else ''}"
    found = model_error(words, error.data, error.code)
    is_explained = bool(details) or str(error).strip(". ").lower() != "internal error"
    return AgentError(
        f"the agent returned error {error.code}: {words if found is None else found.text}",
        None if found is None else found.kind,
        is_explained=is_explained and "exited with" not in words,
        may_pass=error.code == _INTERNAL_ERROR,
        retry_after_seconds=None if found is None else found.retry_after_seconds,
    )


def _invalid_answer(error: ValidationError) -> AgentError:
    first = error.errors(include_url=False)[0]
    member = ".".join(map(str, first["loc"]))
    if member in ("stopReason", "stop_reason"):
        return AgentError(f"the agent ended its turn with the unknown stop reason {first['input']!r}")
    return AgentError(f"the agent's answer is invalid: {member}: {first['msg']}")


def _resumes(capabilities: schema.AgentCapabilities) -> bool:
    """Return whether the agent can resume a session without repeating its messages."""
    return (
        capabilities.session_capabilities is not None and capabilities.session_capabilities.resume is not None
    )
