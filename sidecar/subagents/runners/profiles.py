"""The agents that speak the Agent Client Protocol and are known by name: how each is started."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sidecar.subagents.permissions.tool_rule import ToolRule


@dataclass(frozen=True)
class Profile:
    """How one agent is started.

    `ask` is the environment that has it ask before it edits or runs anything, where its own default is not
    to; `model_flag` the argument a model is chosen with, None for agents that take it in the protocol.
    """

    command: tuple[str, ...]
    sign_in: str
    env: Mapping[str, str] = field(default_factory=dict)
    model_flag: str | None = None
    limited: Callable[[ToolRule], Mapping[str, str]] = lambda _: {}
    """The environment that keeps it from tools it would use without asking, where it can be kept so."""
    counts_anew: bool = False
    """Whether the cost it tells is that of its process, not, as the protocol has it, of the session."""


_OPENCODE_ASKS = {"edit": "ask", "bash": "ask", "webfetch": "ask"}
_OPENCODE_UNASKED = ("read", "glob", "grep", "list", "task")


def _opencode(permission: Mapping[str, str]) -> Mapping[str, str]:
    return {"OPENCODE_PERMISSION": json.dumps(permission)}


def _opencode_limited(tools: ToolRule) -> Mapping[str, str]:
    refused = {name: "deny" for name in _OPENCODE_UNASKED if not tools.gives(name)}
    return _opencode({**_OPENCODE_ASKS, **refused})


_GEMINI_LOG = {"GEMINI_DEBUG_LOG_FILE": "/dev/stderr"} if os.name == "posix" else {}
"""Has it log while it runs: it keeps its warnings, of repeated requests too, until its end otherwise."""

PROFILES: Mapping[str, Profile] = {
    "opencode": Profile(
        ("opencode", "acp"),
        "run `opencode auth login`, or name a provider in its configuration",
        # It asks for nothing by default, and then no policy would ever be looked at.
        # Its log tells of the requests to the model that it repeats.
        {**_opencode(_OPENCODE_ASKS), "OPENCODE_PRINT_LOGS": "1", "OPENCODE_LOG_LEVEL": "ERROR"},
        limited=_opencode_limited,
    ),
    "claude-agent-acp": Profile(
        ("claude-agent-acp",), "run `claude /login`, or set ANTHROPIC_API_KEY", counts_anew=True
    ),
    "codex-acp": Profile(
        ("codex-acp",),
        "run `codex login`, or set OPENAI_API_KEY",
        # Its default has a model, not the user, decide on what needs leave.
        {"INITIAL_AGENT_MODE": "read-only"},
    ),
    "gemini": Profile(
        ("gemini", "--acp", "--skip-trust"),
        "run `gemini` once and sign in, or set GEMINI_API_KEY",
        # Without NO_RELAUNCH a second process does the work, and signals reach only the first.
        {"GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_CLI_TRUST_WORKSPACE": "true", **_GEMINI_LOG},
        model_flag="-m",
    ),
    "qwen": Profile(("qwen", "--acp"), "run `qwen` once and sign in, or set OPENAI_API_KEY", model_flag="-m"),
}
"""In the order in which `auto` looks for them; versions these were tried with: docs/runners.md."""

ALIASES = {"claude": "claude-agent-acp", "codex": "codex-acp"}


def profile_named(name: str) -> Profile | None:
    """Return the profile of a runner with this name."""
    return PROFILES.get(ALIASES.get(name, name))


def found_profiles() -> list[str]:
    """Return the names of the profiles whose program is on the PATH, in the order of `auto`."""
    return [name for name, profile in PROFILES.items() if shutil.which(profile.command[0])]
