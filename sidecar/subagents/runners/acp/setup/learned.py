"""What a Host learns about an agent from its runs: how to sign in, its choices and its commands. No I/O."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from sidecar.api.runs.runners import AgentChoices, AgentFeatures, RunnerAuth, SignInMethod, SlashCommand
from sidecar.subagents.questions.texts import is_shown_as_is, line
from sidecar.subagents.runners.acp.mode_state import AskingModes, SessionState
from sidecar.subagents.runners.acp.setup.sign_in import command_in, methods_of

_MAX_COMMANDS = 200
_MAX_CHOICES = 2_000
_MAX_CHARS = 500
_NAME_CHARS = 200


class Learned:
    """What an agent announced last. All clients of a Host share it; it is not kept when the Host ends.

    `program` is the command of the agent, to which arguments that sign in are appended. `sign_in` is the
    remedy if it requires a sign-in; the first code in it is a command.
    """

    def __init__(self, program: tuple[str, ...] = ()) -> None:
        self.program = program
        self.sign_in: str | None = None
        self.needs_sign_in: bool | None = None
        """Whether the agent refused to open a session without a sign-in; None before the first session."""
        self.commands: list[SlashCommand] = []
        self.choices: AgentChoices | None = None
        self.features: AgentFeatures | None = None
        self._methods: list[SignInMethod] = []

    @property
    def auth(self) -> RunnerAuth | None:
        """How to sign in; None before the first session if no command is known that signs in."""
        command = command_in(self.sign_in)
        if self.needs_sign_in is None and command is None:
            return None
        return RunnerAuth(
            needed=bool(self.needs_sign_in),
            methods=self._methods,
            advice=self.sign_in,
            command=command,
        )

    def initialized(self, answer: Mapping[str, Any]) -> None:
        """Take the answer to `initialize`."""
        self._methods = methods_of(answer.get("authMethods"), self.program)
        self.features = _features(answer)

    def opened(self, state: SessionState, known: AskingModes) -> None:
        """Take the state of a session that was opened. `known` are the modes in which the agent asks."""
        self.needs_sign_in = False
        model, effort = state.options.get("model"), state.options.get("thought_level")
        modes = _names(state.offered_modes())
        self.choices = AgentChoices(
            models=_names(model.offered) if model else [],
            modes=modes,
            asking_modes=[*filter(known.includes, modes)],
            efforts=_names(effort.offered) if effort else [],
        )

    def take(self, params: Mapping[str, Any]) -> None:
        """Take the parameters of a `session/update`, which may list the agent's commands."""
        update = params.get("update")
        if isinstance(update, Mapping) and update.get("sessionUpdate") == "available_commands_update":
            commands = update.get("availableCommands")
            if isinstance(commands, list):
                self.commands = [*_commands(commands[:_MAX_COMMANDS])]


def _features(answer: Mapping[str, Any]) -> AgentFeatures:
    agent = _table(answer, "agentCapabilities")
    prompt, session = _table(agent, "promptCapabilities"), _table(agent, "sessionCapabilities")
    servers, info = _table(agent, "mcpCapabilities"), _table(answer, "agentInfo")
    return AgentFeatures(
        version=line(info.get("version"), _NAME_CHARS),
        images=prompt.get("image") is True,
        embedded_files=prompt.get("embeddedContext") is True,
        http_servers=servers.get("http") is True,
        sse_servers=servers.get("sse") is True,
        additional_directories="additionalDirectories" in session,
        resumes=agent.get("loadSession") is True or "resume" in session,
        steering=_table(_table(answer, "_meta"), "steering").get("supported") is True,
    )


def _commands(commands: list[Any]) -> Iterator[SlashCommand]:
    for each in commands:
        name = each.get("name") if isinstance(each, Mapping) else None
        # A person types the name after a slash, as one word.
        if isinstance(name, str) and _is_name(name) and not any(map(str.isspace, name)):
            yield SlashCommand(
                name=name,
                description=line(each.get("description"), _MAX_CHARS) or "",
                hint=line(_table(each, "input").get("hint"), _MAX_CHARS),
            )


def _names(values: Iterable[str]) -> list[str]:
    """Return the values that a person can read and choose, since they go back to the agent unchanged."""
    return [*islice(filter(_is_name, values), _MAX_CHOICES)]


def _is_name(value: str) -> bool:
    return len(value) <= _NAME_CHARS and is_shown_as_is(value)


def _table(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = parent.get(name)
    return found if isinstance(found, Mapping) else {}
