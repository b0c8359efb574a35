"""Track a session's mode, model and effort, and choose a mode in which the agent asks. No I/O."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Json = Mapping[str, Any]
Category = Literal["model", "thought_level"]
"""The categories of config options by which a model and an effort are chosen."""

_MODE_IN_TEXT = re.compile(r"\[MODE_UPDATE\] (\S+)")


@dataclass(frozen=True)
class AskingModes:
    """The modes in which an agent asks before it edits or runs anything.

    `preferred` are the modes to choose from, in order of preference. `kept` are restricted modes, such as
    planning: a session that starts in one keeps it, but none is switched to one. In all other modes, the
    agent is assumed to act without asking. In those `judged`, a model decides, and may refuse. With
    `announced_in_text`, the agent announces its modes in messages, as gemini does, which look like its
    model's text.
    """

    preferred: tuple[str, ...] = ("default", "ask", "manual", "approve", "read-only")
    kept: tuple[str, ...] = ("plan",)
    judged: tuple[str, ...] = ()
    announced_in_text: bool = False

    def includes(self, mode: str) -> bool:
        """Return whether the agent asks in this mode."""
        return _word(mode) in map(_word, (*self.preferred, *self.kept))

    def choose(self, offered: Sequence[str]) -> str | None:
        """Return the preferred mode among those offered; None if the agent asks in none of them."""
        by_word = {_word(mode): mode for mode in reversed(offered)}
        return next((by_word[word] for word in map(_word, self.preferred) if word in by_word), None)


@dataclass(frozen=True)
class Choice:
    """One way to choose: a config option, or `session/set_mode` if `option` is None."""

    option: str | None
    current: str
    offered: tuple[str, ...]


@dataclass(frozen=True)
class SessionState:
    """What an agent announced. The last of the mode choices is the most recent.

    `options` are the choices of the model and the effort by their category in the protocol.
    """

    choices: tuple[Choice, ...] = ()
    model: str | None = None
    options: Mapping[Category, Choice] = field(default_factory=dict)

    @property
    def mode(self) -> str | None:
        """The current mode according to the last announcement; None if the session has no modes."""
        return self.choices[-1].current if self.choices else None

    @property
    def effort(self) -> str | None:
        """The current effort; None if the agent does not announce one."""
        choice = self.options.get("thought_level")
        return None if choice is None else choice.current

    def offered_modes(self) -> tuple[str, ...]:
        """Return the modes that any of the choices offers, each once."""
        return tuple(dict.fromkeys(mode for choice in self.choices for mode in choice.offered))

    def not_asking(self, known: AskingModes) -> Iterator[Choice]:
        """Yield the choices whose current mode is not known to ask."""
        return (choice for choice in self.choices if not known.includes(choice.current))

    def judged(self, known: AskingModes) -> Iterator[Choice]:
        """Yield the choices in whose current mode a model decides."""
        return (choice for choice in self.choices if choice.current in known.judged)

    def chosen(self, choice: Choice, mode: str) -> "SessionState":
        """Return the state after a choice. Other choices remain as announced."""
        choices = (
            replace(each, current=mode) if each.option == choice.option else each for each in self.choices
        )
        return replace(self, choices=tuple(choices))


def opened(answer: Json, model: str | None = None) -> SessionState:
    """Return the state from the answer to `session/new`, `session/load` or `session/resume`.

    `model` is the default if the answer names no model.
    """
    return configured(SessionState(tuple(_modes(answer.get("modes"))), model), answer.get("configOptions"))


def updated(state: SessionState, update: Json, *, in_text: bool = False) -> SessionState:
    """Return the state after a `session/update`. Ignores malformed and unrelated updates.

    `in_text` is whether the agent announces its modes in messages.
    """
    kind = update.get("sessionUpdate")
    if kind == "config_option_update":
        return configured(state, update.get("configOptions"))
    if kind == "current_mode_update" and isinstance(mode := update.get("currentModeId"), str):
        return _with_mode(state, mode)
    if kind == "agent_message_chunk" and in_text:
        return _with_mode_in_text(state, update.get("content"))
    meta = update.get("_meta")
    # claude-agent-acp reports the model that answered here.
    model = meta.get("_claude/model") if isinstance(meta, Mapping) else None
    return replace(state, model=model) if isinstance(model, str) else state


def configured(state: SessionState, options: Any) -> SessionState:
    """Return the state after an announcement of config options. Missing options keep their values."""
    for option in options if isinstance(options, Sequence) else ():
        if isinstance(option, Mapping) and isinstance(option.get("currentValue"), str):
            state = _with_option(state, option)
    return state


def _with_mode(state: SessionState, mode: str) -> SessionState:
    present = next((each for each in state.choices if each.option is None), Choice(None, mode, ()))
    others = (each for each in state.choices if each.option is not None)
    return replace(state, choices=(*others, replace(present, current=mode)))


def _with_mode_in_text(state: SessionState, content: Any) -> SessionState:
    """Return the state after a message chunk that names an offered mode, as gemini-cli announces its modes.

    gemini-cli 0.61 has no other announcement, so its model can write the same.
    """
    text = content.get("text") if isinstance(content, Mapping) else None
    found = _MODE_IN_TEXT.fullmatch(text) if isinstance(text, str) else None
    return _with_mode(state, found[1]) if found and found[1] in state.offered_modes() else state


def _with_option(state: SessionState, option: Json) -> SessionState:
    category = option.get("category")
    choice = Choice(str(option.get("id")), option["currentValue"], tuple(_values(option.get("options"))))
    if category == "model":
        return replace(state, model=choice.current, options={**state.options, "model": choice})
    if category == "thought_level":
        return replace(state, options={**state.options, "thought_level": choice})
    if category != "mode":
        return state
    others = (each for each in state.choices if each.option != choice.option)
    return replace(state, choices=(*others, choice))


def _modes(modes: Any) -> Iterator[Choice]:
    if isinstance(modes, Mapping) and isinstance(modes.get("currentModeId"), str):
        yield Choice(None, modes["currentModeId"], tuple(_strings(modes.get("availableModes"), "id")))


def _values(options: Any) -> Iterator[str]:
    """Yield the values of an option, which may be grouped."""
    for option in options if isinstance(options, Sequence) else ():
        if isinstance(option, Mapping):
            yield from _strings(option.get("options", [option]), "value")


def _strings(entries: Any, member: str) -> Iterator[str]:
    for entry in entries if isinstance(entries, Sequence) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get(member), str):
            yield entry[member]


def same_mode(mode: str, offered: Sequence[str]) -> str | None:
    """Return the offered mode that has this name, whatever its case and punctuation; None without one."""
    return next((each for each in offered if _word(each) == _word(mode)), None)


def _word(mode: str) -> str:
    """Return a mode's name in lower case without punctuation; of a URI only the fragment."""
    return re.sub(r"[\W_]", "", mode.rpartition("#")[2]).lower()
