"""The agents that speak the Agent Client Protocol and are known by name: how each is started."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sidecar.subagents.runners.acp import gemini_record
from sidecar.subagents.runners.acp.asking.session_modes import AskingModes
from sidecar.subagents.runners.acp.guards import claude, codex, gemini, opencode, qwen
from sidecar.subagents.runners.acp.guards.extras import Extras, Guard, nothing


@dataclass(frozen=True)
class Profile:
    """How one agent is started.

    `model_flag` is the option a model is chosen with, None for agents that take it in the protocol.
    """

    command: tuple[str, ...]
    sign_in: str
    env: Mapping[str, str] = field(default_factory=dict)
    model_flag: str | None = None
    modes: AskingModes = field(default_factory=AskingModes)
    """The session modes in which it asks."""
    guard: Guard = nothing
    """What is added where it must ask, or its workspace is not trusted."""
    trust: Extras = field(default_factory=Extras)
    """What is added in a workspace that the user trusts."""
    unguarded: Extras = field(default_factory=Extras)
    """What is added there where it need not ask."""
    counts_answers: bool = False
    """Whether it reports the size of every answer while a turn runs: one without a size was cut off."""
    broke_off: Callable[[Mapping[str, str], str, Mapping[str, Any]], bool] | None = None
    """Tells by its environment, a session's id and the reply to a prompt whether the last answer was cut."""


_OPENCODE_LOG = {"OPENCODE_PRINT_LOGS": "1", "OPENCODE_LOG_LEVEL": "ERROR"}
"""Its log tells of the requests to the model that it repeats."""
_GEMINI_LOG = {"GEMINI_DEBUG_LOG_FILE": "/dev/stderr"} if os.name == "posix" else {}
"""Has it log while it runs: it keeps its warnings, of repeated requests too, until its end otherwise."""

PROFILES: Mapping[str, Profile] = {
    "opencode": Profile(
        ("opencode", "acp"),
        "run `opencode auth login`, or name a provider in its configuration",
        # Where it has to ask, its guard puts other permissions in the place of these.
        {**opencode.allowing(opencode.OPENCODE), **_OPENCODE_LOG},
        # Its modes are agents; these two come with it, others are the user's or the repository's.
        modes=AskingModes(("build",), ("plan",)),
        counts_answers=True,
        guard=opencode.opencode,
    ),
    "claude-agent-acp": Profile(
        ("claude-agent-acp",),
        "run `claude /login`, or set ANTHROPIC_API_KEY",
        modes=AskingModes(("default",)),
        counts_answers=True,
        guard=claude.guard,
    ),
    "codex-acp": Profile(
        ("codex-acp",),
        "run `codex login`, or set OPENAI_API_KEY",
        # Its default has a model, not the user, decide on what needs permission.
        {"INITIAL_AGENT_MODE": "read-only"},
        modes=AskingModes(("read-only",), ()),
        counts_answers=True,
        guard=codex.guard,
    ),
    "gemini": Profile(
        ("gemini", "--acp"),
        "run `gemini` once and sign in, or set GEMINI_API_KEY",
        # Without NO_RELAUNCH a second process does the work, and signals reach only the first.
        {"GEMINI_CLI_NO_RELAUNCH": "true", **_GEMINI_LOG},
        model_flag="--model",
        modes=AskingModes(("default",)),
        broke_off=gemini_record.broke_off,
        guard=gemini.guard,
        unguarded=Extras(("--skip-trust",), {"GEMINI_CLI_TRUST_WORKSPACE": "true"}),
    ),
    "qwen": Profile(
        ("qwen", "--acp"),
        "run `qwen` once and sign in, or set OPENAI_API_KEY",
        model_flag="--model",
        modes=AskingModes(("default",)),
        counts_answers=True,
        guard=qwen.guard,
    ),
    "kilo": Profile(
        ("kilo", "acp"),
        "run `kilo auth login`, or name a provider in its configuration",
        opencode.allowing(opencode.KILO),
        modes=AskingModes(("code",), ("ask", "debug", "orchestrator", "plan")),
        counts_answers=True,
        guard=opencode.kilo,
    ),
}
"""In the order in which `auto` looks for them; versions these were tried with: docs/runners.md."""

ALIASES = {"claude": "claude-agent-acp", "codex": "codex-acp"}


def profile_named(name: str) -> Profile | None:
    """Return the profile of a runner with this name."""
    return PROFILES.get(ALIASES.get(name, name))


def found_profiles() -> list[str]:
    """Return the names of the profiles whose program is on the PATH, in the order of `auto`."""
    return [name for name, profile in PROFILES.items() if shutil.which(profile.command[0])]
