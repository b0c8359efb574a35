"""The profiles of known ACP agents: how to start each of them."""

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sidecar.subagents.runners.acp.agents import claude, codex, gemini, gemini_record, opencode, qwen
from sidecar.subagents.runners.acp.agents.catalog import refuse_to_ask, unverified_agents
from sidecar.subagents.runners.acp.agents.extras import Extras, Guard, no_extras
from sidecar.subagents.runners.acp.mode_state import AskingModes
from sidecar.subagents.runners.acp.updates.elicitation import Asked
from sidecar.subagents.runners.acp.updates.qwen_question import asked_in


@dataclass(frozen=True)
class Profile:
    """How to start one agent.

    `sign_in` is the remedy if it requires authentication. `model_flag` is the option that selects a model;
    None for agents that accept the model over the protocol.
    """

    command: tuple[str, ...]
    sign_in: str
    env: Mapping[str, str] = field(default_factory=dict)
    model_flag: str | None = None
    modes: AskingModes = field(default_factory=AskingModes)
    """The session modes in which the agent asks."""
    guard: Guard = no_extras
    """The extras for a run that must ask or whose workspace is not trusted."""
    trust: Extras = field(default_factory=Extras)
    """The extras in a trusted workspace."""
    unguarded: Extras = field(default_factory=Extras)
    """The extras in a trusted workspace for a run that does not have to ask."""
    serves: Literal["always", "unguarded"] = "always"
    """When the agent starts the MCP servers of a session request.

    `unguarded` is for agents that start none in a folder that they do not trust, as their guard requires.
    """
    serving: Extras = field(default_factory=Extras)
    """The extras of a run with servers, which make the agent wait for them and then name those that fail."""
    has_own_server: bool = False
    """Whether the agent runs an HTTP server for itself, as opencode does; see `OwnServer`."""
    counts_answers: bool = False
    """Whether the agent reports the size of every answer during a turn. One without a size is truncated."""
    loses_images: bool = False
    """Whether the agent drops the images of a prompt that also has files."""
    repeats_late: bool = False
    """Whether the agent repeats a loaded session's messages after its answer to `session/load`."""
    misreports_usage: bool = False
    """Whether the session in the agent's store replaces the usage that it reports.

    opencode and Kilo report that of the last answer only, and gemini counts cached tokens as input.
    """
    asks_questions: bool = True
    """Whether the agent may ask a person. If not, its session closes at once after its last turn."""
    question_in: Callable[[Mapping[str, Any]], Asked | None] | None = None
    """Return the question in a permission request, for an agent that asks its questions this way."""
    truncation_check: Callable[[Mapping[str, str], str, Mapping[str, Any]], bool] | None = None
    """Return whether the last answer was truncated, given the environment, session ID and prompt reply."""


_OPENCODE_LOG = {"OPENCODE_PRINT_LOGS": "1", "OPENCODE_LOG_LEVEL": "WARN"}
"""Makes opencode log its repeated model requests, and MCP servers that do not start."""
_GEMINI_LOG = {"GEMINI_DEBUG_LOG_FILE": "/dev/stderr"} if os.name == "posix" else {}
"""Makes gemini log immediately. By default, it holds back warnings about repeated requests until it exits."""
_SERVER_SECONDS = 32
"""How long codex waits for the servers of a run. It gives up each one after 30 seconds."""

_VERIFIED: Mapping[str, Profile] = {
    "opencode": Profile(
        ("opencode", "acp"),
        "run `opencode auth login`, or name a provider in its configuration",
        # If the agent has to ask, its guard replaces these permissions.
        {**opencode.allow_all_env(opencode.OPENCODE), **_OPENCODE_LOG},
        # Its modes are agents. These two are built in; the user or the repository can define others.
        modes=AskingModes(("build",), ("plan",)),
        has_own_server=True,
        asks_questions=False,
        counts_answers=True,
        misreports_usage=True,
        guard=opencode.opencode,
    ),
    "claude-agent-acp": Profile(
        ("claude-agent-acp",),
        "run `claude /login`, or set ANTHROPIC_API_KEY",
        modes=AskingModes(("default",), judged=("auto",)),
        counts_answers=True,
        guard=claude.guard,
    ),
    "codex-acp": Profile(
        ("codex-acp",),
        "run `codex login`, or set OPENAI_API_KEY",
        # In its default mode, a model decides which actions need permission.
        {"INITIAL_AGENT_MODE": "read-only"},
        modes=AskingModes(("read-only",), ()),
        counts_answers=True,
        guard=codex.guard,
        serving=Extras(meta={"mcpStartupAwaitTimeoutMs": _SERVER_SECONDS * 1000}),
    ),
    "gemini": Profile(
        ("gemini", "--acp"),
        "run `gemini` once and sign in, or set GEMINI_API_KEY",
        # Without NO_RELAUNCH, gemini works in a second process, and signals reach only the first.
        {"GEMINI_CLI_NO_RELAUNCH": "true", **_GEMINI_LOG},
        model_flag="--model",
        loses_images=True,
        asks_questions=False,
        repeats_late=True,  # version 0.61 does not wait for it
        misreports_usage=True,
        modes=AskingModes(("default",), announced_in_text=True),
        truncation_check=gemini_record.is_truncated,
        guard=gemini.guard,
        serves="unguarded",
        unguarded=Extras(("--skip-trust",), {"GEMINI_CLI_TRUST_WORKSPACE": "true"}),
    ),
    "qwen": Profile(
        ("qwen", "--acp"),
        "run `qwen` once and sign in, or set OPENAI_API_KEY",
        model_flag="--model",
        modes=AskingModes(("default",), judged=("auto",)),
        counts_answers=True,
        question_in=asked_in,
        guard=qwen.guard,
        serves="unguarded",  # in a folder that it does not trust, 0.24.4 reports them as failed
        serving=Extras(env={"QWEN_CODE_LEGACY_MCP_BLOCKING": "1"}),
    ),
    "kilo": Profile(
        ("kilo", "acp"),
        "run `kilo auth login`, or name a provider in its configuration",
        opencode.allow_all_env(opencode.KILO),
        modes=AskingModes(("code",), ("ask", "debug", "orchestrator", "plan")),
        counts_answers=True,
        misreports_usage=True,
        guard=opencode.kilo,
    ),
}
"""Agents that the tests drive, and kilo. docs/agents.md lists the tested versions."""

PROFILES: Mapping[str, Profile] = {
    **_VERIFIED,
    **{
        name: Profile(each.command, each.sign_in, each.env, guard=refuse_to_ask)
        for name, each in unverified_agents().items()
    },
}
"""In the order in which `auto` tries them."""

ALIASES = {"claude": "claude-agent-acp", "codex": "codex-acp"}


def profile_named(name: str) -> Profile | None:
    """Return the profile for a runner with this name, or None."""
    return PROFILES.get(ALIASES.get(name, name))


def is_unverified(name: str) -> bool:
    """Return whether a profile exists for this name that the tests do not drive."""
    return name in PROFILES and not is_verified(name)


def is_verified(name: str) -> bool:
    """Return whether the sidecar knows how to make the agent of this profile ask."""
    return ALIASES.get(name, name) in _VERIFIED


def found_profiles(environment: Mapping[str, str]) -> list[str]:
    """Return the names of the profiles whose program is on the PATH, in the order of `auto`."""
    path = environment.get("PATH")
    return [name for name, profile in PROFILES.items() if shutil.which(profile.command[0], path=path)]


_NAME = re.compile(r"[A-Za-z0-9][\w.:/@+-]*", re.ASCII)


def model_option(flag: str, model: str) -> str:
    """Return the argument that selects a model, in a form that cannot be mistaken for another option.

    Raises ValueError, which names the model, if it is not a valid model name.
    """
    if _NAME.fullmatch(model) is None:
        raise ValueError(
            f"{model!r} is not a valid model name: it must start with a letter or digit and contain only "
            "letters, digits and _ . : / @ + -"
        )
    return f"{flag}={model}"
