"""What is said between the sidecar and an agent: one session, one turn after the other."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sidecar.subagents.runners.acp.asking.modes import SessionModes
from sidecar.subagents.runners.acp.asking.permissions import Permissions
from sidecar.subagents.runners.acp.asking.session_modes import AskingModes
from sidecar.subagents.runners.acp.dialogue import Dialogue, Prompt, TurnEnd, first_prompt
from sidecar.subagents.runners.acp.ends import model_error_of_turn
from sidecar.subagents.runners.acp.faults import AgentFault, Turn
from sidecar.subagents.runners.acp.last_turn import LastTurn
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.updates.messages import new_message_id
from sidecar.subagents.runners.acp.updates.usage import reply_tokens
from sidecar.subagents.runners.acp.wire import AgentWire
from sidecar.subagents.runners.contract import Emit, RunSpec
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler

if TYPE_CHECKING:
    from sidecar.subagents.runners.acp.session import Session

_NOT_TAKEN_UP = "The agent could not take up its former session; it is told the transcript instead.\n"
_TIME_IS_UP = "the limit of this run is reached, and only words are left"

BrokeOff = Callable[[str, Mapping[str, Any]], bool]
"""Tells, by the id of a session and the reply to its newest prompt, whether the last answer was cut."""


@dataclass(frozen=True)
class Handshake:
    """What opening the session takes beside the run itself.

    `model` is chosen in the session, unless the agent was `started_with` one. `meta` is the `_meta` of the
    request that opens it. `instructions` are of the workspace, for an agent that does not read them itself.
    `broke_off` reads in the agent's record of a session what its reply to a prompt does not tell.
    `counts_answers` says that the agent reports the size of every answer.
    """

    model: str | None
    sign_in: str
    started_with: str | None = None
    asking: AskingModes = field(default_factory=AskingModes)
    meta: Mapping[str, Any] = field(default_factory=dict)
    instructions: str = ""
    broke_off: BrokeOff | None = None
    counts_answers: bool = False


class Conversation:
    """Held once, by `hold`; `aclose` must follow. Another task may end it meanwhile."""

    def __init__(
        self, wire: AgentWire, events: SessionEvents, spec: RunSpec, emit: Emit, scheduler: FairScheduler
    ) -> None:
        self.permissions = Permissions(events, spec.observer)
        self.opened: Callable[[], object] = lambda: None
        """Called once the session stands."""
        self.has_session = False
        """Whether it has stood."""
        self._wire = wire
        self._events = events
        self._spec = spec
        self._emit = emit
        self._scheduler = scheduler
        self._dialogue = Dialogue()
        self._session: Session | None = None
        self._modes: SessionModes | None = None
        self._turn: Turn | None = None
        self._over = asyncio.Event()
        self._children_ended = asyncio.Event()
        self._last_turn: LastTurn | None = None
        self._cut: BrokeOff | None = None
        self._counts_answers = False
        self._cancelling: asyncio.Task[None] | None = None
        events.children.idle = self._children_ended.set

    @property
    def listens(self) -> bool:
        """Whether the session stands and the dialogue goes on."""
        return self._turn is not None and not self._dialogue.is_over

    async def hold(self, handshake: Handshake) -> str:
        """Open the session, talk until nothing is left to say, return the last stop reason.

        Raises AgentFault, and ConnectionError when the agent falls silent.
        """
        try:
            session, text = await self._open(handshake)
            asked = self._spec.constraints
            prompt: Prompt | None = Prompt(first_prompt(text, asked.expected_outputs, asked.tools))
            stop_reason = ""
            while prompt is not None:
                stop_reason = await self._one_turn(session, prompt)
                prompt = self._dialogue.after(self._turn_end(stop_reason))
            return stop_reason
        finally:
            self._dialogue.is_over = True
            self._over.set()

    def send(self, text: str) -> bool:
        """Give the agent a message after its present turn; see `MessageChannel.send`."""
        return self._dialogue.send(text)

    async def last_turn(self, missing: Sequence[str]) -> None:
        """Have the agent end its turn and give it a last one; see `MessageChannel.last_turn`."""
        self._dialogue.wind_up(missing)
        self.permissions.close(_TIME_IS_UP)
        self._events.children.clear()
        # A cancel that comes after the end of the turn it is meant for would hit the last one.
        if self._session is not None and self._turn is not None and not self._turn.has_ended:
            await self._cancel(self._session)
        await self._over.wait()

    def take(self, event: dict[str, Any]) -> None:
        """Take in an event of the run: a last turn that asks its model too often is ended."""
        if self._last_turn is not None and self._last_turn.take(event) and self._session is not None:
            self._cancelling = asyncio.create_task(self._cancel(self._session), name="end of the last turn")

    async def end(self) -> None:
        """Have the agent end its turn, and say nothing more. ConnectionError if it takes nothing."""
        self._dialogue.is_over = True
        self.permissions.call_off()
        self._events.children.clear()
        if self._session is not None and self._turn is not None and not self._over.is_set():
            await self._session.cancel()
            await self._over.wait()

    async def aclose(self) -> None:
        """Let go of the session."""
        if self._cancelling is not None:
            self._cancelling.cancel()
        if self._session is not None:
            await self._session.aclose()

    async def _open(self, handshake: Handshake) -> tuple["Session", str]:
        """Open the session, or the former one if it can be taken up, and return it with what to say in it."""
        self._cut = handshake.broke_off
        self._counts_answers = handshake.counts_answers
        session_type = await asyncio.to_thread(_session_type)
        modes = self._modes = SessionModes(
            handshake.asking,
            self._spec.observer,
            self._stop_disobedient,
            must_ask=self._spec.must_ask,
            model=handshake.started_with,
        )
        self._wire.on_update = modes.take
        session = self._session = session_type(self._wire, self.permissions, modes)
        former = self._spec.former
        self._events.is_muted = former is not None
        goes_on = await session.open(
            self._spec.workspace_dir,
            handshake.model,
            handshake.sign_in,
            None if former is None else former.session_id,
            handshake.meta,
        )
        self._events.is_muted = False
        if former is not None and goes_on:
            self._events.usage.cost_before = former.cost
        self._spec.observer.ready(silence_counts=True)
        self.has_session = True
        self.opened()
        if session.lasting_id is not None:
            self._spec.observer.in_session(session.lasting_id)
        if former is not None and not goes_on:
            await self._emit({"type": "log", "stream": "stderr", "text": _NOT_TAKEN_UP})
        if former is not None and goes_on:
            return session, former.prompt
        return session, "\n\n".join(filter(None, (self._spec.prompt, handshake.instructions)))

    def _stop_disobedient(self, fault: AgentFault) -> None:
        """Stop the agent at once: whatever it does from now on it may do without asking."""
        if self._turn is not None:
            self._turn.fail(fault)
        self.permissions.call_off()
        self._wire.cut_off()

    async def _one_turn(self, session: "Session", prompt: Prompt) -> str:
        """Have the agent answer a prompt. Raises AgentFault, also if its turn only looks well ended."""
        if self._modes is not None and self._modes.fault is not None:
            raise self._modes.fault
        self._events.begin_turn()
        if prompt.by_user:
            said = {"type": "message", "messageId": new_message_id(), "role": "user", "text": prompt.text}
            await self._emit(said)
        self._last_turn = LastTurn() if prompt.is_last else None
        turn = self._turn = session.prompt(prompt.text, is_last=prompt.is_last)
        stop_reason = await turn.ended()
        await self._scheduler.deliver(self._events.end_turn(reply_tokens(turn.reply)), self._emit)
        if not session.is_cancelled:
            cut = await self._broke_off(turn.reply)
            error = model_error_of_turn(
                stop_reason,
                turn.reply,
                self._events,
                prompt,
                broke_off=cut,
                counts_answers=self._counts_answers,
            )
            if error is not None:
                raise AgentFault.of_model(error)
            await self._end_of_children()
        return stop_reason

    async def _broke_off(self, reply: Mapping[str, Any]) -> bool:
        session_id = self._events.session_id
        if self._cut is None or session_id is None:
            return False
        return await asyncio.to_thread(self._cut, session_id, reply)

    async def _end_of_children(self) -> None:
        """Wait until no session that the agent runs beside this one is running."""
        if not self._events.children.are_running:
            return
        self._children_ended.clear()
        await self._children_ended.wait()
        if self._wire.has_ended:
            raise ConnectionError("the agent ended before the sessions it had begun")

    async def _cancel(self, session: "Session") -> None:
        with contextlib.suppress(ConnectionError):
            await session.cancel()

    def _turn_end(self, stop_reason: str) -> TurnEnd:
        refusal = self.permissions.last_reason if self._events.refused is not None else None
        emitted = self._events.emitted.values
        missing = [name for name in self._spec.constraints.expected_outputs if name not in emitted]
        return TurnEnd(stop_reason, missing, refusal)


def _session_type() -> "type[Session]":
    from sidecar.subagents.runners.acp.session import Session

    return Session
