"""The conversation with an agent: one session and its turns, in sequence."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.subagents.runners.acp.dialogue import Dialogue, Prompt, TurnEnd, first_prompt
from sidecar.subagents.runners.acp.mode_control import SessionModes
from sidecar.subagents.runners.acp.mode_state import AskingModes
from sidecar.subagents.runners.acp.permissions import Permissions
from sidecar.subagents.runners.acp.results import model_error_of_turn
from sidecar.subagents.runners.acp.setup.configuration import Configuration
from sidecar.subagents.runners.acp.setup.learned import Learned
from sidecar.subagents.runners.acp.turn import AgentError, LastTurn, Turn
from sidecar.subagents.runners.acp.updates.elicitation import Asked
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.updates.messages import new_message_id
from sidecar.subagents.runners.acp.updates.usage import reply_tokens
from sidecar.subagents.runners.acp.wire import AgentWire
from sidecar.subagents.runners.contract import AgentStore, Emit, RunSpec
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler

if TYPE_CHECKING:
    from sidecar.subagents.runners.acp.session import Session

_NOT_RESUMED = "The agent could not resume its former session, so it gets the transcript instead.\n"
_QUIET_SECONDS = 1.0
"""How long an agent that repeats a session late must be silent before its updates belong to the run."""
_MOST_REPEATING_SECONDS = 20.0
_LIMIT_REACHED = "the run reached its limit, so the agent may only write a summary"

_QUIET_SECONDS = 0.25
"""How long an agent must send nothing after its turn before its session may close."""
_GRACE_SECONDS = 1.0
"""How long to wait for that, at most."""

TruncationCheck = Callable[[str, Mapping[str, Any]], bool]
"""Return whether the last answer was truncated, given the session ID and the reply to the last prompt."""


@dataclass(frozen=True)
class Handshake:
    """The parameters for opening a session.

    `wanted` is chosen in the session; `started_with` is the model that the agent's command line selected.
    `sign_in` is the remedy if the agent requires authentication. `meta` is the `_meta` of the request that
    opens the session. `instructions` come from the workspace, for an agent that does not read them itself.
    `truncation_check` reads the agent's own record of a session, since the reply does not report truncation.
    `asks_questions` means that the agent may ask a person, and `question_in` finds the questions of one that
    asks them in permission requests.
    `counts_answers` means that the agent reports the size of every answer, and `loses_images` that it drops
    images next to files. `repeats_late` means that the messages of a resumed session may come after the
    answer that it is open. `failed_servers` returns the MCP servers that do not work in a workspace, and why.
    `learned` keeps what the agent announces. `store` is that of an agent which may keep its sessions.
    """

    wanted: Configuration
    sign_in: str
    started_with: str | None = None
    asking: AskingModes = field(default_factory=AskingModes)
    meta: Mapping[str, Any] = field(default_factory=dict)
    instructions: str = ""
    truncation_check: TruncationCheck | None = None
    asks_questions: bool = True
    question_in: Callable[[Mapping[str, Any]], Asked | None] | None = None
    counts_answers: bool = False
    loses_images: bool = False
    repeats_late: bool = False
    failed_servers: Callable[[Path], Mapping[str, str]] | None = None
    learned: Learned = field(default_factory=Learned)
    store: AgentStore | None = None


class Conversation:
    """A conversation with an agent. Call `hold` once, then `aclose`. Another task may call `end` early."""

    def __init__(
        self, wire: AgentWire, events: SessionEvents, spec: RunSpec, emit: Emit, scheduler: FairScheduler
    ) -> None:
        self.permissions = Permissions(events, spec.observer)
        self.opened: Callable[[], object] = lambda: None
        """Called when the session is open."""
        self.has_session = False
        """Whether the session was opened."""
        self._wire = wire
        wire.on_withdrawn = self.permissions.withdraw
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
        self._interrupted = asyncio.Event()
        """Set when something other than a report decides about the next turn."""
        self._attached: list[Any] = []
        """The attachments of the first prompt, until it is sent."""
        self._last_turn: LastTurn | None = None
        self._truncation_check: TruncationCheck | None = None
        self._counts_answers = False
        self._asks_questions = True
        self._cancelling: asyncio.Task[None] | None = None
        self._updated_at = 0.0
        """When the agent sent its last update, on the monotonic clock."""
        events.children.idle = wire.elicitations.idle = self._children_ended.set

    @property
    def listens(self) -> bool:
        """Whether the session is open and the agent can get another prompt."""
        return self._turn is not None and not self._dialogue.is_over

    async def hold(self, handshake: Handshake) -> str:
        """Open the session, send prompts until none is left, and return the last stop reason.

        Raises AgentError, and ConnectionError if the agent closes the connection.
        """
        try:
            session, text = await self._open(handshake)
            if self._spec.opens_only:
                return "end_turn"
            asked = self._spec.constraints
            prompt: Prompt | None = Prompt(first_prompt(text, asked.expected_outputs, asked.tools))
            stop_reason = ""
            while prompt is not None:
                stop_reason = await self._run_turn(session, prompt)
                await self._wait_for_report(stop_reason)
                prompt = self._dialogue.after(self._turn_end(stop_reason))
            return stop_reason
        except AgentError as error:
            if error.needs_sign_in:
                handshake.learned.needs_sign_in = True
                self._spec.observer.sign_in_required()
            raise
        finally:
            self._dialogue.is_over = True
            self._over.set()

    def send(self, text: str) -> bool:
        """Queue a message for delivery after the current turn; see `MessageChannel.send`."""
        self._interrupted.set()
        return self._dialogue.send(text)

    async def steer(self, text: str) -> bool:
        """Give the agent a message during its current turn; see `MessageChannel.steer`."""
        session, turn = self._session, self._turn
        if session is None or not session.can_steer or turn is None or turn.has_ended:
            return False
        # Messages that wait come first, and a last turn takes none.
        if self._dialogue.has_next or not await session.steer(text):
            return False
        await self._emit_of_user(text)
        return True

    async def last_turn(self, missing: Sequence[str]) -> None:
        """End the current turn and run a last one; see `MessageChannel.last_turn`."""
        self._dialogue.schedule_last_turn(missing, self._events.output_problems(missing))
        self._interrupted.set()
        self.permissions.close(_LIMIT_REACHED)
        self._wire.elicitations.close(_LIMIT_REACHED)
        self._events.children.clear()
        # If the current turn has ended already, a cancel would end the last turn instead.
        if self._session is not None and self._turn is not None and not self._turn.has_ended:
            await self._cancel(self._session)
        await self._over.wait()

    def take(self, event: dict[str, Any]) -> None:
        """Process an event of the run. Cancels a last turn that makes too many model requests."""
        if self._last_turn is not None and self._last_turn.take(event) and self._session is not None:
            self._cancelling = asyncio.create_task(self._cancel(self._session), name="end of the last turn")

    async def end(self) -> None:
        """Cancel the current turn and send no more prompts. Raises ConnectionError if the agent is gone."""
        self._dialogue.is_over = True
        self._interrupted.set()
        self._withdraw_requests()
        self._events.children.clear()
        if self._session is not None and self._turn is not None and not self._over.is_set():
            await self._session.cancel()
            await self._over.wait()

    async def aclose(self) -> None:
        """Close the session."""
        if self._cancelling is not None:
            self._cancelling.cancel()
        await self._wire.elicitations.aclose()
        if self._session is not None:
            await self._session.aclose()

    async def _open(self, handshake: Handshake) -> tuple["Session", str]:
        """Resume the former session if possible, else open a new one. Return it with its first prompt."""
        self._truncation_check = handshake.truncation_check
        self._counts_answers = handshake.counts_answers
        self._asks_questions = handshake.asks_questions
        session_type = await asyncio.to_thread(_session_type)
        modes = self._modes = SessionModes(
            handshake.asking,
            self._spec.observer,
            self._stop_unsafe_agent,
            must_ask=self._spec.must_ask,
            model=handshake.started_with,
        )
        learned = handshake.learned

        def observe(params: Mapping[str, Any]) -> None:
            self._updated_at = time.monotonic()
            modes.take(params)
            learned.take(params)

        self._wire.on_update = observe
        self._wire.question_in = handshake.question_in or self._wire.question_in
        session = self._session = session_type(self._wire, self.permissions, modes)
        session.on_initialized = handshake.learned.initialized
        if handshake.started_with is not None:
            session.requested.add("model", handshake.started_with)
        former = self._spec.former
        self._events.is_muted = former is not None
        is_resumed = await session.open(
            self._spec.workspace_dir,
            handshake.wanted,
            handshake.sign_in,
            None if former is None else former.session_id,
            handshake.meta,
            self._spec.servers,
            self._spec.directories,
        )
        learned.opened(modes.state, handshake.asking)
        if not is_resumed:
            self._attached = await asyncio.to_thread(
                session.blocks, self._spec.attachments, loses_images=handshake.loses_images
            )
        if is_resumed and handshake.repeats_late:
            await self._until_quiet()
        self._events.is_muted = False
        await self._report_servers(handshake.failed_servers)
        if former is not None and is_resumed:
            self._events.usage.cost_before = former.cost
        self._spec.observer.ready(silence_counts=True)
        self.has_session = True
        self.opened()
        if handshake.store is not None:
            self._spec.observer.stored_as(session.id, handshake.store)
        if session.lasting_id is not None:
            self._spec.observer.in_session(session.lasting_id)
        if former is not None and not is_resumed:
            await self._emit({"type": "log", "stream": "stderr", "text": _NOT_RESUMED})
        if former is not None and is_resumed:
            return session, former.prompt
        return session, "\n\n".join(filter(None, (self._spec.prompt, handshake.instructions)))

    async def _until_quiet(self) -> None:
        """Wait until the agent has probably repeated the whole session."""
        self._updated_at = started = time.monotonic()
        while (left := self._updated_at + _QUIET_SECONDS - (now := time.monotonic())) > 0:
            if now - started > _MOST_REPEATING_SECONDS:
                break
            await asyncio.sleep(left)

    async def _report_servers(self, failed: Callable[[Path], Mapping[str, str]] | None) -> None:
        """Report the run's MCP servers that do not work, if the agent can be asked."""
        if failed is not None and self._spec.servers:
            found = await asyncio.to_thread(failed, self._spec.workspace_dir)
            await self._scheduler.deliver(self._events.failed_servers(found), self._emit)

    def _stop_unsafe_agent(self, error: AgentError) -> None:
        """Stop the agent immediately because it may now act without asking."""
        if self._turn is not None:
            self._turn.fail(error)
        self._withdraw_requests()
        self._wire.kill()

    def _withdraw_requests(self) -> None:
        """Withdraw whatever the agent waits for from a person."""
        self.permissions.withdraw_all()
        self._wire.elicitations.withdraw_all()

    async def _run_turn(self, session: "Session", prompt: Prompt) -> str:
        """Send a prompt and return the stop reason. Raises AgentError if the agent or its model failed."""
        if self._modes is not None and self._modes.error is not None:
            raise self._modes.error
        await self._scheduler.deliver(session.unmet(), self._emit)
        self._events.begin_turn()
        if prompt.by_user:
            await self._emit_of_user(prompt.text)
        self._last_turn = LastTurn() if prompt.is_last else None
        attached, self._attached = self._attached, []
        turn = self._turn = session.prompt(prompt.text, is_last=prompt.is_last, blocks=attached)
        stop_reason = await turn.ended()
        await self._scheduler.deliver(self._events.end_turn(reply_tokens(turn.reply)), self._emit)
        await self._scheduler.deliver(session.unmet(), self._emit)
        if not session.is_cancelled:
            is_truncated = await self._is_truncated(turn.reply)
            error = model_error_of_turn(
                stop_reason,
                turn.reply,
                self._events,
                prompt,
                is_truncated=is_truncated,
                counts_answers=self._counts_answers,
            )
            if error is not None:
                raise AgentError.of_model(error)
            await self._wait_until_at_rest()
        return stop_reason

    async def _emit_of_user(self, text: str) -> None:
        await self._emit({"type": "message", "messageId": new_message_id(), "role": "user", "text": text})

    async def _is_truncated(self, reply: Mapping[str, Any]) -> bool:
        session_id = self._events.session_id
        if self._truncation_check is None or session_id is None:
            return False
        return await asyncio.to_thread(self._truncation_check, session_id, reply)

    async def _wait_until_at_rest(self) -> None:
        """Wait until the agent's child sessions have ended and its questions were answered.

        If no prompt follows, wait also until an agent that asks is quiet: a question may come shortly after
        its turn.
        """
        children, questions = self._events.children, self._wire.elicitations
        while True:
            if self._asks_questions and not self._dialogue.has_next:
                await self._wire.wait_until_idle(_QUIET_SECONDS, _GRACE_SECONDS)
            if not (children.are_running or questions.are_open):
                return
            self._children_ended.clear()
            await self._children_ended.wait()
            if self._wire.has_ended:
                raise ConnectionError("the agent exited before its child sessions ended")

    async def _wait_for_report(self, stop_reason: str) -> None:
        """Make the reminder of an ended subagent the next prompt, unless something else comes first.

        A run with subagents continues until they have ended and its agent was reminded of each.
        """
        self._interrupted.clear()
        if stop_reason != "end_turn" or self._dialogue.has_next:
            return
        report = asyncio.create_task(self._spec.observer.next_report(), name="report of a subagent")
        interrupted = asyncio.create_task(self._interrupted.wait())
        try:
            await asyncio.wait({report, interrupted}, return_when=asyncio.FIRST_COMPLETED)
            if report.done() and (text := report.result()) is not None:
                self._dialogue.report(text)
        finally:
            report.cancel()
            interrupted.cancel()

    async def _cancel(self, session: "Session") -> None:
        with contextlib.suppress(ConnectionError):
            await session.cancel()

    def _turn_end(self, stop_reason: str) -> TurnEnd:
        refusal = self.permissions.last_reason if self._events.refused is not None else None
        emitted = self._events.emitted.values
        missing = [name for name in self._spec.constraints.expected_outputs if name not in emitted]
        return TurnEnd(stop_reason, missing, refusal, self._events.output_problems(missing))


def _session_type() -> "type[Session]":
    from sidecar.subagents.runners.acp.session import Session

    return Session
