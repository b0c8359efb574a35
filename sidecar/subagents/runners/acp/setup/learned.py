"""What a Host learns about an agent from its runs: how to sign in, its choices and its commands. No I/O."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from sidecar.api.runs.runners import AgentChoices, AgentFeatures, RunnerAuth, SignInMethod, SlashCommand
from sidecar.subagents.runners.acp.mode_state import AskingModes, SessionState

_MAX_COMMANDS = 200
_MAX_CHARS = 500
_CODE = re.compile("`([^`]+)`")


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
        command = _CODE.search(self.sign_in or "")
        if self.needs_sign_in is None and command is None:
            return None
        return RunnerAuth(
            needed=bool(self.needs_sign_in),
            methods=self._methods,
            advice=self.sign_in,
            command=shlex.split(command[1]) if command else None,
        )

    def initialized(self, answer: Mapping[str, Any]) -> None:
        """Take the answer to `initialize`."""
        methods = answer.get("authMethods")
        self._methods = list(self._read_methods(methods)) if isinstance(methods, list) else []
        self.features = _features(answer)

    def opened(self, state: SessionState, known: AskingModes) -> None:
        """Take the state of a session that was opened. `known` are the modes in which the agent asks."""
        self.needs_sign_in = False
        model, effort = state.options.get("model"), state.options.get("thought_level")
        self.choices = AgentChoices(
            models=list(model.offered) if model else [],
            modes=list(state.offered_modes()),
            asking_modes=[*filter(known.includes, state.offered_modes())],
            efforts=list(effort.offered) if effort else [],
        )

    def take(self, params: Mapping[str, Any]) -> None:
        """Take the parameters of a `session/update`, which may list the agent's commands."""
        update = params.get("update")
        if isinstance(update, Mapping) and update.get("sessionUpdate") == "available_commands_update":
            commands = update.get("availableCommands")
            if isinstance(commands, list):
                self.commands = [*_commands(commands[:_MAX_COMMANDS])]

    def _read_methods(self, methods: list[Any]) -> Iterator[SignInMethod]:
        for each in methods:
            if isinstance(each, Mapping) and isinstance(each.get("id"), str):
                name = each.get("name")
                command, given = self._command(each)
                yield SignInMethod(
                    id=each["id"],
                    name=name if isinstance(name, str) else each["id"],
                    command=command,
                    env=_variables(given.get("env")) or None,
                )

    def _command(self, method: Mapping[str, Any]) -> tuple[list[str] | None, Mapping[str, Any]]:
        """Return the command that signs in and the member that describes it: the protocol's, or an older one."""
        if method.get("type") == "terminal" and self.program:
            return [*self.program, *_texts(method.get("args"))], method
        meta = _table(method, "_meta")
        older = _table(meta, "terminal-auth")
        if isinstance(older.get("command"), str):
            return [older["command"], *_texts(older.get("args"))], older
        # qwen puts the members of the protocol there, and its arguments replace `--acp`.
        if meta.get("type") == "terminal" and self.program:
            return [self.program[0], *_texts(meta.get("args"))], meta
        return None, {}


def _features(answer: Mapping[str, Any]) -> AgentFeatures:
    agent = _table(answer, "agentCapabilities")
    prompt, session = _table(agent, "promptCapabilities"), _table(agent, "sessionCapabilities")
    servers, info = _table(agent, "mcpCapabilities"), _table(answer, "agentInfo")
    version = info.get("version")
    return AgentFeatures(
        version=version if isinstance(version, str) else None,
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
        if isinstance(each, Mapping) and isinstance(each.get("name"), str):
            description, hint = each.get("description"), _table(each, "input").get("hint")
            yield SlashCommand(
                name=each["name"],
                description=description[:_MAX_CHARS] if isinstance(description, str) else "",
                hint=hint if isinstance(hint, str) and hint else None,
            )


def _table(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = parent.get(name)
    return found if isinstance(found, Mapping) else {}


def _texts(values: Any) -> list[str]:
    return [each for each in values if isinstance(each, str)] if isinstance(values, list) else []


def _variables(values: Any) -> dict[str, str]:
    """Return environment variables, given as an object or as a list of names and values."""
    if isinstance(values, list):
        values = {each.get("name"): each.get("value") for each in values if isinstance(each, Mapping)}
    given = values if isinstance(values, Mapping) else {}
    return {key: text for key, text in given.items() if isinstance(key, str) and isinstance(text, str)}
