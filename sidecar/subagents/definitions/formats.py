"""The formats of definition files: the sidecar's own and those of other tools.

Other tools' formats as of July to November 2026: Claude Code 2.1 and the pages on its subagents,
GitHub's reference of custom agents and VS Code's page on them, the loader of Gemini CLI 0.61, the role
files of Codex 0.16x, Cursor 2.4's page on subagents, and llxprt-code's SubagentManager.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import msgspec

from sidecar.subagents.definitions import values
from sidecar.subagents.definitions.front_matter import split_lenient, split_markdown, split_optional
from sidecar.subagents.definitions.model import Document
from sidecar.subagents.definitions.values import Check

FormatName = Literal["sidecar", "claude", "copilot", "gemini", "codex", "cursor", "llxprt"]


class Rule(NamedTuple):
    """The field of a definition that a key sets; None for a key that is only checked."""

    field: str | None
    check: Check


class Format(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """How one tool writes definitions.

    `unsupported` maps keys that the sidecar does not support to what happens instead. Any other unknown key
    is a problem if the format is `closed`, and is ignored otherwise. `required` are keys that the tool itself
    requires. `runners` are the names of the tool's own agent among the runners.
    """

    name: FormatName
    suffix: str
    split: Callable[[str], Document]
    rules: Mapping[str, Rule]
    required: tuple[str, ...] = ()
    unsupported: Mapping[str, str] = {}
    closed: bool = False
    recursive: bool = False
    skipped_prefixes: tuple[str, ...] = ()
    runners: tuple[str, ...] = ()

    def takes(self, file_name: str) -> bool:
        """Return whether a file of this name holds a definition."""
        return self.stem(file_name) != file_name and not file_name.startswith(self.skipped_prefixes)

    def stem(self, file_name: str) -> str:
        """Return a file's name without the suffix, or the whole name if nothing precedes it."""
        cut = len(file_name) - len(self.suffix)
        return file_name[:cut] if cut > 0 and file_name.lower().endswith(self.suffix) else file_name


def _split_toml(text: str) -> Document:
    from sidecar.subagents.definitions.toml_file import (
        split_toml,
    )  # imported here because most folders hold none

    return split_toml(text)


def _split_json(text: str) -> Document:
    from sidecar.subagents.definitions.json_file import split_json  # for the same reason

    return split_json(text)


_POLICY = "the permission policy decides what the agent may do"
_MCP = "the runner uses the MCP servers of its own configuration"
_HOOKS = "no hooks are run"
_RUNNERS_OWN = "the runner uses its own configuration"

SIDECAR = Format(
    name="sidecar",
    suffix=".md",
    split=split_markdown,
    rules={
        "name": Rule("name", values.name),
        "description": Rule("description", values.text),
        "runner": Rule("runner", values.text),
        "model": Rule("model", values.text),
        "mode": Rule("mode", values.text),
        "effort": Rule("effort", values.text),
        "tools": Rule("tools", values.tools),
        "maxTurns": Rule("max_turns", values.turns),
        "timeoutSeconds": Rule("timeout_seconds", values.seconds),
        "isolation": Rule("isolation", values.isolation),
        "placement": Rule("placement", values.placement),
        "permissions": Rule("permissions", values.permissions),
        "mcpServers": Rule("mcp_servers", values.servers),
    },
    required=("name", "description"),
    closed=True,
)

_COMMON = {
    "name": Rule("name", values.text),
    "description": Rule("description", values.text),
    "model": Rule("model", values.model),
}

CLAUDE = Format(
    name="claude",
    suffix=".md",
    split=split_lenient,
    rules={
        **_COMMON,
        "tools": Rule("tools", values.any_tools),
        "maxTurns": Rule("max_turns", values.turns),
        "isolation": Rule("isolation", values.isolation),
        "permissionMode": Rule(
            "permissions",
            values.mode({"default": "ask", "acceptEdits": "allowEdits", "dontAsk": "deny", "plan": "deny"}),
        ),
    },
    required=("name", "description"),
    unsupported={
        "disallowedTools": _POLICY,
        "mcpServers": _MCP,
        "hooks": _HOOKS,
        "skills": _RUNNERS_OWN,
        "memory": _RUNNERS_OWN,
        "effort": _RUNNERS_OWN,
    },
    recursive=True,
    runners=("claude-agent-acp", "claude"),
)

COPILOT = Format(
    name="copilot",
    suffix=".agent.md",
    split=split_optional,
    rules={**_COMMON, "tools": Rule("tools", values.tool_sets)},
    unsupported={
        "mcp-servers": _MCP,
        "hooks": _HOOKS,
        "handoffs": "runs have no handoff buttons",
        "agents": "the runner decides which subagents it starts",
    },
    runners=("copilot",),
)

GEMINI = Format(
    name="gemini",
    suffix=".md",
    split=split_markdown,
    rules={
        **_COMMON,
        "kind": Rule(None, values.local),
        "tools": Rule("tools", values.any_tools),
        "max_turns": Rule("max_turns", values.turns),
        "timeout_mins": Rule("timeout_seconds", values.minutes),
    },
    required=("name", "description"),
    unsupported={
        "temperature": _RUNNERS_OWN,
        "mcp_servers": _MCP,
        "mcpServers": _MCP,
        "policy": _POLICY,
    },
    skipped_prefixes=("_",),
    runners=("gemini",),
)

CODEX = Format(
    name="codex",
    suffix=".toml",
    split=_split_toml,
    rules={
        **_COMMON,
        "developer_instructions": Rule("system_prompt", values.text),
        "sandbox_mode": Rule("permissions", values.mode({"read-only": "deny", "workspace-write": None})),
    },
    required=("name", "description", "developer_instructions"),
    unsupported={
        "model_reasoning_effort": _RUNNERS_OWN,
        "model_provider": _RUNNERS_OWN,
        "approval_policy": _POLICY,
        "mcp_servers": _MCP,
        "skills": _RUNNERS_OWN,
        "web_search": _RUNNERS_OWN,
    },
    recursive=True,
    runners=("codex-acp", "codex"),
)

CURSOR = Format(
    name="cursor",
    suffix=".md",
    split=split_lenient,
    rules={**_COMMON, "readonly": Rule("permissions", values.read_only)},
    runners=("cursor",),
)

LLXPRT = Format(
    name="llxprt",
    suffix=".json",
    split=_split_json,
    rules={"name": Rule("name", values.text), "systemPrompt": Rule("system_prompt", values.text)},
    required=("name", "systemPrompt"),
    unsupported={"profile": "the runner chooses the model"},
    runners=("llxprt",),
)
