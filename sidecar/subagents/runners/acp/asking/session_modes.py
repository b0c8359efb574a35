"""Which mode a session has to be in so that its agent asks before it acts: pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Json = Mapping[str, Any]

_MODE_IN_WORDS = re.compile(r"\[MODE_UPDATE\] (\S+)")


@dataclass(frozen=True)
class AskingModes:
    """The modes in which an agent asks before it edits or runs anything.

    `preferred` may be chosen, the first one first. `kept` are modes in which the agent does less, such as
    planning only: a session that starts in one stays there, but none is put into one. Any other mode counts
    as one that approves by itself.
    """

    preferred: tuple[str, ...] = ("default", "ask", "manual", "approve", "read-only")
    kept: tuple[str, ...] = ("plan",)

    def includes(self, mode: str) -> bool:
        """Tell whether the agent asks in this mode."""
        return _word(mode) in map(_word, (*self.preferred, *self.kept))

    def choose(self, offered: Sequence[str]) -> str | None:
        """Return the best of the modes that a session offers; None if the agent asks in none of them."""
        by_word = {_word(mode): mode for mode in reversed(offered)}
        return next((by_word[word] for word in map(_word, self.preferred) if word in by_word), None)


@dataclass(frozen=True)
class ModeChoice:
    """One place where a session's mode is chosen: a config option, or `session/set_mode` if that is None."""

    option: str | None
    current: str
    offered: tuple[str, ...]


@dataclass(frozen=True)
class SessionState:
    """What an agent announced: where the mode is chosen, the newest news last, and the model."""

    choices: tuple[ModeChoice, ...] = ()
    model: str | None = None

    @property
    def mode(self) -> str | None:
        """The mode in force, as it was announced last; None if the session has none."""
        return self.choices[-1].current if self.choices else None

    def unasking(self, known: AskingModes) -> Iterator[ModeChoice]:
        """Yield the choices that stand on a mode in which the agent does not ask."""
        return (choice for choice in self.choices if not known.includes(choice.current))

    def chosen(self, choice: ModeChoice, mode: str) -> "SessionState":
        """Return the state after a choice; other choices stay as they were announced."""
        choices = (
            replace(each, current=mode) if each.option == choice.option else each for each in self.choices
        )
        return replace(self, choices=tuple(choices))


def opened(answer: Json, model: str | None = None) -> SessionState:
    """Return the state that the answer to `session/new`, `session/load` or `session/resume` announces.

    `model` is in force where the answer names none.
    """
    return configured(SessionState(tuple(_modes(answer.get("modes"))), model), answer.get("configOptions"))


def updated(state: SessionState, update: Json) -> SessionState:
    """Return the state after one `session/update`; what is malformed or about something else is ignored."""
    kind = update.get("sessionUpdate")
    if kind == "config_option_update":
        return configured(state, update.get("configOptions"))
    if kind == "current_mode_update" and isinstance(mode := update.get("currentModeId"), str):
        return _with_mode(state, mode)
    if kind == "agent_message_chunk":
        return _with_mode_in_words(state, update.get("content"))
    meta = update.get("_meta")
    # How claude-agent-acp names the model that answered.
    model = meta.get("_claude/model") if isinstance(meta, Mapping) else None
    return replace(state, model=model) if isinstance(model, str) else state


def configured(state: SessionState, options: Any) -> SessionState:
    """Return the state after all config options were announced again; those that are missing stay."""
    for option in options if isinstance(options, Sequence) else ():
        if isinstance(option, Mapping) and isinstance(option.get("currentValue"), str):
            state = _with_option(state, option)
    return state


def _with_mode(state: SessionState, mode: str) -> SessionState:
    present = next((each for each in state.choices if each.option is None), ModeChoice(None, mode, ()))
    others = (each for each in state.choices if each.option is not None)
    return replace(state, choices=(*others, replace(present, current=mode)))


def _with_mode_in_words(state: SessionState, content: Any) -> SessionState:
    """Return the state after a piece of a message, in which gemini-cli announces its modes."""
    text = content.get("text") if isinstance(content, Mapping) else None
    said = _MODE_IN_WORDS.fullmatch(text) if isinstance(text, str) else None
    return state if said is None else _with_mode(state, said[1])


def _with_option(state: SessionState, option: Json) -> SessionState:
    current = option["currentValue"]
    if option.get("category") == "model":
        return replace(state, model=current)
    if option.get("category") != "mode":
        return state
    choice = ModeChoice(str(option.get("id")), current, tuple(_values(option.get("options"))))
    others = (each for each in state.choices if each.option != choice.option)
    return replace(state, choices=(*others, choice))


def _modes(modes: Any) -> Iterator[ModeChoice]:
    if isinstance(modes, Mapping) and isinstance(modes.get("currentModeId"), str):
        yield ModeChoice(None, modes["currentModeId"], tuple(_strings(modes.get("availableModes"), "id")))


def _values(options: Any) -> Iterator[str]:
    """Yield the values of an option, which may stand in groups."""
    for option in options if isinstance(options, Sequence) else ():
        if isinstance(option, Mapping):
            yield from _strings(option.get("options", [option]), "value")


def _strings(entries: Any, member: str) -> Iterator[str]:
    for entry in entries if isinstance(entries, Sequence) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get(member), str):
            yield entry[member]


def _word(mode: str) -> str:
    """Return a mode's name without case and punctuation, and of an address only the fragment."""
    return re.sub(r"[\W_]", "", mode.rpartition("#")[2]).lower()
