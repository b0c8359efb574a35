"""Keep an agent's session in a mode in which the agent asks, and report its mode, model and effort."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from sidecar.subagents.permissions.shortening import NAME_CHARS
from sidecar.subagents.questions.texts import line, listed
from sidecar.subagents.runners.acp import mode_state
from sidecar.subagents.runners.acp.mode_state import AskingModes, Category, Choice, SessionState, same_mode
from sidecar.subagents.runners.acp.turn import AgentError
from sidecar.subagents.runners.contract import RunObserver

Choose = Callable[[Choice, str], Awaitable[Mapping[str, Any]]]
"""Set the agent's mode and return its answer. Raises AgentError if the agent refuses."""

REMEDY = "change the agent's mode in its own settings, or allow everything with permissions: allowAll"
"""The remedy for an agent that does not ask."""


class SessionModes:
    """The modes of a run's session. Calls `on_unsafe` once if the agent leaves the modes in which it asks.

    If `must_ask` is false, every mode is allowed, and changes are only reported. `model` is the model that
    the command line selected, for agents that do not announce their model.
    """

    def __init__(
        self,
        known: AskingModes,
        observer: RunObserver,
        on_unsafe: Callable[[AgentError], None],
        *,
        must_ask: bool,
        model: str | None = None,
    ) -> None:
        self.error: AgentError | None = None
        """The error that stops the run once the agent has left the modes in which it asks."""
        self._known = known
        self._observer = observer
        self._on_unsafe = on_unsafe
        self._must_ask = must_ask
        self._started_with = model
        self._session_id: str | None = None
        self._is_watching = False
        self._state = SessionState()

    def open(self, session_id: str, answer: Mapping[str, Any]) -> None:
        """Process the protocol's answer to the request that opened the session."""
        self._session_id = session_id
        self._state = mode_state.opened(answer, self._started_with)

    @property
    def state(self) -> SessionState:
        """What the agent announced last."""
        return self._state

    def option(self, category: Category) -> Choice | None:
        """Return the choice of the model or the effort; None if the agent does not offer it."""
        return self._state.options.get(category)

    def selected(self, category: Category, choice: Choice, options: Any) -> None:
        """Record what was selected, and the config options from the agent's answer."""
        state = replace(self._state, options={**self._state.options, category: choice})
        if category == "model":
            state = replace(state, model=choice.current)
        self._state = mode_state.configured(state, options)

    def take(self, params: Mapping[str, Any]) -> None:
        """Process the parameters of a `session/update`, which may end the modes in which the agent asks."""
        update = params.get("update")
        if not isinstance(update, Mapping) or params.get("sessionId") not in (None, self._session_id):
            return
        before = self._state
        self._state = mode_state.updated(before, update, in_text=self._known.announced_in_text)
        if self._is_watching and self._state != before:
            self._report()
            self._watch()

    async def make_asking(self, choose: Choose, wanted: str | None = None) -> None:
        """Put the session into a mode in which the agent asks, and report the resulting configuration.

        `wanted` is the mode of the definition or the launch. Raises AgentError if the agent does not have or
        accept a mode, and if the wanted one is not known to ask although the run must.
        """
        if wanted is not None:
            await self._choose_wanted(choose, wanted)
        elif not self._must_ask:
            await self._leave_judged(choose)
        for choice in self._not_asking():
            await self._choose(choose, choice, self._asking_mode(choice))
        if left := self._not_asking():
            raise AgentError(
                f"the agent accepted a mode in which it asks but stays in {left[0].current!r}; {REMEDY}"
            )
        self._is_watching = True
        self._report()

    async def _choose(self, choose: Choose, choice: Choice, mode: str) -> None:
        # Set this before the request, since updates that arrive with the answer are newer.
        self._state = self._state.chosen(choice, mode)
        answer = await choose(choice, mode)
        self._state = mode_state.configured(self._state, answer.get("configOptions"))

    async def _leave_judged(self, choose: Choose) -> None:
        """Leave modes in which a model may refuse a call for one in which the agent asks the policy."""
        for choice in self._state.judged(self._known):
            if (mode := self._known.choose(choice.offered)) is not None:
                await self._choose(choose, choice, mode)

    async def _choose_wanted(self, choose: Choose, wanted: str) -> None:
        offered = self._state.offered_modes()
        mode = same_mode(wanted, offered)
        if mode is None:
            known = f"use one of: {listed(offered)}" if offered else "it announces no modes; remove mode"
            raise AgentError(f"the agent has no mode {wanted!r}; {known}")
        if self._must_ask and not self._known.includes(mode):
            asking = listed(filter(self._known.includes, offered)) or "none"
            raise AgentError(
                f"in mode {mode!r} the agent may act without asking, so it needs permissions: allowAll; "
                f"modes in which it asks: {asking}"
            )
        for choice in self._state.choices:
            if mode in choice.offered and choice.current != mode:
                await self._choose(choose, choice, mode)
        if self._state.mode != mode:
            raise AgentError(f"the agent accepted mode {mode!r} but stays in {self._state.mode!r}")

    def _not_asking(self) -> tuple[Choice, ...]:
        return tuple(self._state.not_asking(self._known)) if self._must_ask else ()

    def _asking_mode(self, choice: Choice) -> str:
        mode = self._known.choose(choice.offered)
        if mode is None:
            offered = listed(choice.offered) or "no other mode"
            raise AgentError(
                f"the agent starts in mode {choice.current!r}, in which it may act without asking, and has "
                f"no mode in which it is known to ask (it offers {offered}); {REMEDY}"
            )
        return mode

    def _report(self) -> None:
        state = self._state
        mode, model, effort = (line(each, NAME_CHARS) for each in (state.mode, state.model, state.effort))
        self._observer.configured(mode=mode, model=model, effort=effort)

    def _watch(self) -> None:
        not_asking = self._not_asking()
        if not_asking and self.error is None:
            self.error = AgentError(
                f"the agent was stopped because it switched to mode {not_asking[0].current!r}, in which it "
                f"may act without asking; {REMEDY}"
            )
            self._on_unsafe(self.error)
