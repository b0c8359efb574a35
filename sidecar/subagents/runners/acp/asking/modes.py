"""Keeps the session of an agent in a mode in which it asks, and reports its mode and model."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from sidecar.subagents.runners.acp.asking import session_modes
from sidecar.subagents.runners.acp.asking.session_modes import AskingModes, ModeChoice, SessionState
from sidecar.subagents.runners.acp.faults import AgentFault
from sidecar.subagents.runners.contract import RunObserver

Choose = Callable[[ModeChoice, str], Awaitable[Mapping[str, Any]]]
"""Has the agent choose a mode and returns its answer. Raises AgentFault when it refuses."""

REMEDY = "change the agent's mode in its own settings, or allow everything with permissions: allowAll"
"""What to do about an agent that does not ask."""


class SessionModes:
    """The modes of one run's session. `disobeyed` is called once if they stop asking after `make_asking`.

    With `must_ask` false every mode is allowed, and the modes are only reported. `model` is the one that the
    agent was started with, for agents that do not announce theirs.
    """

    def __init__(
        self,
        known: AskingModes,
        observer: RunObserver,
        disobeyed: Callable[[AgentFault], None],
        *,
        must_ask: bool,
        model: str | None = None,
    ) -> None:
        self.fault: AgentFault | None = None
        """Why the run must not go on, once the agent left its asking mode."""
        self._known = known
        self._observer = observer
        self._disobeyed = disobeyed
        self._must_ask = must_ask
        self._started_with = model
        self._session_id: str | None = None
        self._is_watching = False
        self._state = SessionState()

    def open(self, session_id: str, answer: Mapping[str, Any]) -> None:
        """Take in the answer that opened the session, in the protocol's words."""
        self._session_id = session_id
        self._state = session_modes.opened(answer, self._started_with)

    def set_model(self, model: str, options: Any) -> None:
        """Take in the model that was chosen, and all config options as the answer to that choice has them."""
        self._state = session_modes.configured(replace(self._state, model=model), options)

    def take(self, params: Mapping[str, Any]) -> None:
        """Take in the parameters of a `session/update`; one that ends the asking is a fault."""
        update = params.get("update")
        if not isinstance(update, Mapping) or params.get("sessionId") not in (None, self._session_id):
            return
        before, self._state = self._state, session_modes.updated(self._state, update)
        if self._is_watching and self._state != before:
            self._report()
            self._watch()

    async def make_asking(self, choose: Choose) -> None:
        """Put the session into a mode in which the agent asks, and report what is in force.

        Raises AgentFault when the agent has none, or does not accept it.
        """
        for choice in self._unasking():
            mode = self._asking_mode(choice)
            # Before the answer: an update that comes with it is newer.
            self._state = self._state.chosen(choice, mode)
            answer = await choose(choice, mode)
            self._state = session_modes.configured(self._state, answer.get("configOptions"))
        if left := self._unasking():
            raise AgentFault(
                f"the agent was put into a mode in which it asks, and stays in {left[0].current!r}; {REMEDY}"
            )
        self._is_watching = True
        self._report()

    def _unasking(self) -> tuple[ModeChoice, ...]:
        return tuple(self._state.unasking(self._known)) if self._must_ask else ()

    def _asking_mode(self, choice: ModeChoice) -> str:
        mode = self._known.choose(choice.offered)
        if mode is None:
            offered = ", ".join(choice.offered) or "no other"
            raise AgentFault(
                f"the agent starts in mode {choice.current!r}, which may act without asking, and none of "
                f"its modes is known to ask (it offers {offered}); {REMEDY}"
            )
        return mode

    def _report(self) -> None:
        self._observer.configured(mode=self._state.mode, model=self._state.model)

    def _watch(self) -> None:
        unasking = self._unasking()
        if unasking and self.fault is None:
            self.fault = AgentFault(
                f"the agent switched to mode {unasking[0].current!r}, which may act without asking, so it "
                f"was stopped; {REMEDY}"
            )
            self._disobeyed(self.fault)
