"""One session with an agent over the protocol's SDK. Imported by the first run: it costs a second."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import acp
from acp import schema
from acp.exceptions import RequestError
from acp.interfaces import Client
from pydantic import ValidationError

from sidecar import __version__
from sidecar.subagents.runners.acp.asking.modes import REMEDY, SessionModes
from sidecar.subagents.runners.acp.asking.permissions import Permissions
from sidecar.subagents.runners.acp.asking.session_modes import ModeChoice
from sidecar.subagents.runners.acp.faults import AgentFault, Turn
from sidecar.subagents.runners.acp.wire import AgentWire
from sidecar.subagents.runners.output.model_errors import model_error

logger = logging.getLogger(__name__)

_AUTH_REQUIRED = -32000
_INTERNAL_ERROR = -32603
_CLIENT = schema.Implementation(name="subagent-sidecar", version=__version__)


class Session:
    """Opened once, prompted any number of times, one prompt at a time. Every fault is an AgentFault."""

    def __init__(self, wire: AgentWire, permissions: Permissions, modes: SessionModes) -> None:
        self._permissions = permissions
        self._modes = modes
        self.is_cancelled = False
        """Whether the present turn was asked to end."""
        # An agent that is offered no file or terminal access uses its own, inside the run's processes.
        self._agent = acp.connect_to_agent(_client(permissions), wire)
        self._id = ""
        self.lasting_id: str | None = None
        """The session's id, if a later process of the agent can take it up."""
        self._replies: set[asyncio.Task[None]] = set()

    async def open(
        self,
        cwd: Path,
        model: str | None,
        sign_in: str,
        former: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> bool:
        """Agree on the protocol and begin a session in `cwd`, in a mode in which the agent asks.

        `sign_in` is the remedy if the agent asks for that, `meta` the `_meta` of the request that opens the
        session. The session `former` is taken up if the agent can do that and still has it; return whether
        it was.
        """
        try:
            hello = await self._agent.initialize(
                protocol_version=acp.PROTOCOL_VERSION,
                client_capabilities=schema.ClientCapabilities(),
                client_info=_CLIENT,
            )
            _check_version(hello.protocol_version)
            abilities = hello.agent_capabilities or schema.AgentCapabilities()
            taken_up = None if former is None else await self._take_up(former, cwd, abilities, meta or {})
            session = taken_up or await self._agent.new_session(cwd=str(cwd), mcp_servers=[], **(meta or {}))
            self._id = former if taken_up and former else session.session_id
            if abilities.load_session or _resumes(abilities):
                self.lasting_id = self._id
            await self._configure(session, model, is_new=taken_up is None)
            return taken_up is not None
        except RequestError as error:
            raise _fault(error, sign_in) from error
        except ValidationError as error:
            raise _misunderstood(error) from error

    def prompt(self, text: str, *, is_last: bool = False) -> Turn:
        """Begin a turn. In this protocol its end is the reply; another may tell of it by an update.

        `is_last` tells an agent that knows the word that it is to use no more tools.
        """
        self.is_cancelled = False
        turn = Turn()
        meta: dict[str, Any] = {"sidecar": {"lastTurn": True}} if is_last else {}
        reply = asyncio.create_task(self._await_reply(text, meta, turn), name="prompt")
        self._replies.add(reply)
        reply.add_done_callback(self._replies.discard)
        return turn

    async def cancel(self) -> None:
        """Ask the agent to end its turn; the turn tells when it has. ConnectionError if it takes nothing."""
        self.is_cancelled = True
        if self._id:
            await self._agent.cancel(session_id=self._id)

    async def aclose(self) -> None:
        """Let go of the connection; whoever waits for a turn gets a ConnectionError."""
        await self._agent.close()
        if self._replies:
            await asyncio.wait(set(self._replies), timeout=1)

    async def _take_up(
        self, session_id: str, cwd: Path, abilities: schema.AgentCapabilities, meta: Mapping[str, Any]
    ) -> Any:
        """Return the agent's answer; None if it cannot, or does not know the session any more."""
        take_up = self._agent.resume_session if _resumes(abilities) else self._agent.load_session
        if not (abilities.load_session or _resumes(abilities)):
            return None
        try:
            return await take_up(cwd=str(cwd), session_id=session_id, mcp_servers=[], **meta)
        except RequestError as error:
            logger.info("session %s cannot be taken up: %s", session_id, error)
            return None

    async def _await_reply(self, text: str, meta: dict[str, Any], turn: Turn) -> None:
        try:
            reply = await self._agent.prompt(session_id=self._id, prompt=[acp.text_block(text)], **meta)
        except RequestError as error:
            fault = _fault(error, "sign in with the agent's own program")
            fault.kind = fault.kind or "other"
            turn.fail(fault)
        except ValidationError as error:
            turn.fail(_misunderstood(error))
        except ConnectionError as error:
            turn.fail(error)
        else:
            turn.end(
                self._stop_reason(reply), reply.model_dump(mode="json", by_alias=True, exclude_none=True)
            )

    def _stop_reason(self, reply: schema.PromptResponse) -> str:
        """Return how the turn ended; codex calls one cancelled that it ended since it was refused leave."""
        by_refusal = self._permissions.has_refused and not self.is_cancelled
        return "end_turn" if reply.stop_reason == "cancelled" and by_refusal else reply.stop_reason

    async def _configure(self, session: Any, model: str | None, *, is_new: bool) -> None:
        """Choose the model and then the mode: of some agents the model decides which modes there are."""
        self._modes.open(self._id, _json(session))
        choices = _model_choices(session.config_options or [])
        # A session that is taken up has its model; not every agent offers the choice again.
        if model is not None and (choices or is_new):
            await self._choose_model(model, choices)
        await self._modes.make_asking(self._choose_mode)

    async def _choose_model(self, model: str, choices: list[Any]) -> None:
        if not choices:
            raise AgentFault(f"the agent lets no model be chosen; take model: {model} out of the definition")
        values = [value for choice in choices for value in _values(choice.options)]
        if model not in values:
            known = ", ".join(values[:20])
            raise AgentFault(f"the agent has no model {model!r}; it has {known}")
        reply = await self._agent.set_config_option(config_id=choices[0].id, session_id=self._id, value=model)
        self._modes.set_model(model, _json(reply).get("configOptions"))

    async def _choose_mode(self, choice: ModeChoice, mode: str) -> Mapping[str, Any]:
        """Have the agent take a mode and return its answer; raises AgentFault when it refuses."""
        try:
            if choice.option is None:
                return _json(await self._agent.set_session_mode(session_id=self._id, mode_id=mode))
            return _json(
                await self._agent.set_config_option(session_id=self._id, config_id=choice.option, value=mode)
            )
        except RequestError as error:
            raise AgentFault(
                f"the agent starts in mode {choice.current!r}, which may act without asking, and refuses "
                f"mode {mode!r}, in which it asks ({error}); {REMEDY}"
            ) from error


def _client(permissions: Permissions) -> Client:
    class Handlers:
        """The one request of an agent that reaches the SDK; the wire refuses all others."""

        async def request_permission(
            self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[Any], **_: Any
        ) -> schema.RequestPermissionResponse:
            call = tool_call.model_dump(mode="json", by_alias=True, exclude_none=True)
            offered = [each.model_dump(mode="json", by_alias=True) for each in options]
            answer = await permissions.ask({"sessionId": session_id, "toolCall": call, "options": offered})
            meta = {"reason": answer.reason} if answer.reason else None
            outcome: schema.AllowedOutcome | schema.DeniedOutcome
            if answer.option is None:
                outcome = schema.DeniedOutcome(outcome="cancelled")
            else:
                outcome = schema.AllowedOutcome(outcome="selected", option_id=answer.option.option_id)
            return schema.RequestPermissionResponse(outcome=outcome, field_meta=meta)

    handlers: Any = Handlers()
    client: Client = handlers
    return client


def _json(answer: Any) -> Mapping[str, Any]:
    """Return an answer of the agent in the protocol's words; agents may answer a request with null."""
    if answer is None:
        return {}
    found: Mapping[str, Any] = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found


def _check_version(version: int) -> None:
    if version != acp.PROTOCOL_VERSION:
        raise AgentFault(
            f"the agent speaks version {version} of the protocol, this sidecar version "
            f"{acp.PROTOCOL_VERSION}; install a version of the agent that speaks it too"
        )


def _fault(error: RequestError, sign_in: str) -> AgentFault:
    if error.code == _AUTH_REQUIRED:
        return AgentFault(f"the agent asks to sign in ({error}); {sign_in}", "auth")
    details = error.data.get("details") if isinstance(error.data, Mapping) else error.data
    words = f"{error}{f' ({details})' if details else ''}"
    found = model_error(words, error.data, error.code)
    is_explained = bool(details) or str(error).strip(". ").lower() != "internal error"
    return AgentFault(
        f"the agent answered with error {error.code}: {words if found is None else found.text}",
        None if found is None else found.kind,
        is_explained=is_explained and "exited with" not in words,
        may_pass=error.code == _INTERNAL_ERROR,
    )


def _misunderstood(error: ValidationError) -> AgentFault:
    first = error.errors(include_url=False)[0]
    member = ".".join(map(str, first["loc"]))
    if member in ("stopReason", "stop_reason"):
        return AgentFault(f"the agent ended its turn for a reason that is not known here: {first['input']!r}")
    return AgentFault(f"the agent's answer is not understood: {member}: {first['msg']}")


def _resumes(abilities: schema.AgentCapabilities) -> bool:
    """Tell whether the agent takes up a session without repeating what was said in it."""
    return abilities.session_capabilities is not None and abilities.session_capabilities.resume is not None


def _model_choices(options: list[Any]) -> list[Any]:
    return [each for each in options if each.category == "model" and each.type == "select"]


def _values(options: list[Any]) -> list[str]:
    """Return the values of a choice, whose options may stand in groups."""
    flat = [each for option in options for each in getattr(option, "options", None) or [option]]
    return [each.value for each in flat]
