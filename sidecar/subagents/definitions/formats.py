"""The formats of definition files: this program's own, and those of other tools.

Other tools' formats were read in July to November 2026: Claude Code 2.1 and the pages on its subagents,
GitHub's reference of custom agents and VS Code's page on them, the loader of Gemini CLI 0.61, the role
files of Codex 0.16x, Cursor 2.4's page on subagents, and llxprt-code's SubagentManager.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import msgspec

from sidecar.subagents.definitions import values
from sidecar.subagents.definitions.document import Document
from sidecar.subagents.definitions.front_matter import split_lenient, split_markdown, split_optional
from sidecar.subagents.definitions.values import Check

FormatName = Literal["sidecar", "claude", "copilot", "gemini", "codex", "cursor", "llxprt"]


class Rule(NamedTuple):
    """The member of a definition that a key becomes, None for a key that is only checked."""

    field: str | None
    check: Check


class Format(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """How one tool writes definitions.

    `unhonoured` are keys that ask for what is not done here, with what happens instead; any further key is
    a fault if the format is `closed`, else left to its own tool. `required` are keys the tool itself
    insists on. `runners` are the names its own agent goes by among the runners.
    """

    name: FormatName
    suffix: str
    split: Callable[[str], Document]
    rules: Mapping[str, Rule]
    required: tuple[str, ...] = ()
    unhonoured: Mapping[str, str] = {}
    closed: bool = False
    recursive: bool = False
    skipped_prefixes: tuple[str, ...] = ()
    runners: tuple[str, ...] = ()

    def takes(self, file_name: str) -> bool:
        """Say whether a file of this name holds a definition."""
        return self.stem(file_name) != file_name and not file_name.startswith(self.skipped_prefixes)

    def stem(self, file_name: str) -> str:
        """Return a file's name without the suffix, if it has it and more than that."""
        cut = len(file_name) - len(self.suffix)
        return file_name[:cut] if cut > 0 and file_name.lower().endswith(self.suffix) else file_name


def _split_toml(text: str) -> Document:
    from sidecar.subagents.definitions.toml_file import split_toml  # here, because most folders hold none

    return split_toml(text)


def _split_json(text: str) -> Document:
    from sidecar.subagents.definitions.json_file import split_json  # as above

    return split_json(text)


_POLICY = "the permission policy decides what the agent may do"
_MCP = "the runner has the MCP servers of its own configuration"
_HOOKS = "no hooks are run"
_RUNNERS_OWN = "the runner keeps to its own configuration"

SIDECAR = Format(
    name="sidecar",
    suffix=".md",
    split=split_markdown,
    rules={
        "name": Rule("name", values.name),
        "description": Rule("description", values.text),
        "runner": Rule("runner", values.text),
        "model": Rule("model", values.text),
        "tools": Rule("tools", values.tools),
        "maxTurns": Rule("max_turns", values.turns),
        "timeoutSeconds": Rule("timeout_seconds", values.seconds),
        "isolation": Rule("isolation", values.isolation),
        "permissions": Rule("permissions", values.permissions),
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
    unhonoured={
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
    unhonoured={
        "mcp-servers": _MCP,
        "hooks": _HOOKS,
        "handoffs": "a run has no buttons to go on with",
        "agents": "the runner starts what subagents it likes",
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
    unhonoured={
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
    unhonoured={
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
    unhonoured={"profile": "the runner chooses the model"},
    runners=("llxprt",),
)
