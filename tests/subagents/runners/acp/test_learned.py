"""What a Host learns about an agent: how a person signs in, its commands and its choices."""

from typing import Any

import pytest

from sidecar.subagents.runners.acp.agents.profiles import PROFILES
from sidecar.subagents.runners.acp.mode_state import AskingModes, opened
from sidecar.subagents.runners.acp.setup.learned import Learned


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_names_a_command_that_signs_in(name: str) -> None:
    learned = Learned()
    learned.sign_in, learned.needs_sign_in = PROFILES[name].sign_in, True
    assert learned.auth is not None
    assert learned.auth.advice == PROFILES[name].sign_in
    assert learned.auth.command is not None
    assert learned.auth.command[0].isascii()


@pytest.mark.parametrize(
    ("advice", "command"),
    [
        ("run `codex login`, or set OPENAI_API_KEY", ["codex", "login"]),
        ("run `pi` once and sign in with `/login`", ["pi"]),
        ("sign in with the agent's own program", None),
        (None, None),
    ],
)
def test_the_first_code_of_the_advice_is_the_command(advice: str | None, command: list[str] | None) -> None:
    learned = Learned()
    learned.sign_in, learned.needs_sign_in = advice, False
    assert learned.auth is not None
    assert learned.auth.command == command


def test_the_command_is_known_before_the_first_session() -> None:
    learned = Learned()
    assert learned.auth is None
    learned.sign_in = "sign in with the agent's own program"
    assert learned.auth is None
    learned.sign_in = "run `codex login`"
    assert learned.auth is not None
    assert (learned.auth.needed, learned.auth.command) == (False, ["codex", "login"])


@pytest.mark.parametrize(
    ("method", "command", "env"),
    [
        ({"type": "terminal", "args": ["login"], "env": {"A": "b"}}, ["agent", "--acp", "login"], {"A": "b"}),
        ({"type": "terminal", "env": [{"name": "A", "value": "b"}, 5]}, ["agent", "--acp"], {"A": "b"}),
        ({"_meta": {"terminal-auth": {"command": "x", "args": ["y", 5]}}}, ["x", "y"], None),
        ({"_meta": {"type": "terminal", "args": ["--key"]}}, ["agent", "--key"], None),
        ({"type": "env_var", "vars": []}, None, None),
        ({"_meta": "terminal"}, None, None),
    ],
)
def test_a_method_of_the_agent_names_its_command(
    method: dict[str, Any], command: list[str] | None, env: dict[str, str] | None
) -> None:
    learned = Learned(("agent", "--acp"))
    learned.needs_sign_in = True
    learned.initialized({"authMethods": [{"id": "m", **method}]})
    assert learned.auth is not None
    (found,) = learned.auth.methods
    assert (found.name, found.command, found.env) == ("m", command, env)


def listed(*commands: Any) -> Learned:
    learned = Learned()
    learned.take(
        {"update": {"sessionUpdate": "available_commands_update", "availableCommands": list(commands)}}
    )
    return learned


def test_commands_that_nobody_can_type_are_left_out() -> None:
    names = ["review", "mcp:docs:find", "", "two words", "re\x1b[31mview", "a\nb", "re\u202eview", "n" * 1000]
    learned = listed(*({"name": name} for name in names), {"name": 5}, None)
    assert [each.name for each in learned.commands] == ["review", "mcp:docs:find"]


def test_the_texts_of_a_command_are_one_line_that_is_safe_to_show() -> None:
    long = {"hint": "FILE\x1b]0;x\x07" + "F" * 1_000_000}
    (command,) = listed({"name": "review", "description": "Reviews\n\x1b[2Jfiles.", "input": long}).commands
    assert command.description == "Reviews [2Jfiles."
    assert command.hint is not None
    assert len(command.hint) <= 500
    assert command.hint.startswith("FILE ]0;x F")


def test_choices_that_nobody_can_read_are_left_out() -> None:
    values = ["small", "la\x1b[31mrge", "", "x" * 1000, *map(str, range(5000))]
    options = [{"value": value, "name": "a model"} for value in values]
    option = {"id": "model", "category": "model", "currentValue": "small", "options": options}
    learned = Learned()
    learned.opened(opened({"configOptions": [option]}), AskingModes())
    assert learned.choices is not None
    assert learned.choices.models == ["small", *map(str, range(1999))]


def test_methods_of_signing_in_are_few_and_safe_to_show() -> None:
    learned = Learned(("agent",))
    methods = [{"id": "i" * 1000}, {"id": "in", "name": "Sign\x1b[31m in"}]
    learned.initialized({"authMethods": [*methods, *({"id": str(number)} for number in range(100))]})
    learned.needs_sign_in = True
    assert learned.auth is not None
    assert [each.name for each in learned.auth.methods][:2] == ["Sign [31m in", "0"]
    assert len(learned.auth.methods) < 20
