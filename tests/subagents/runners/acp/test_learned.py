"""What a Host learns about an agent: how a person signs in."""

from typing import Any

import pytest

from sidecar.subagents.runners.acp.agents.profiles import PROFILES
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
