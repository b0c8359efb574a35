"""One realistic file of each tool, and what happens to what it asks."""

import pytest

from sidecar.subagents.definitions import Definition, formats
from sidecar.subagents.definitions.formats import Format
from sidecar.subagents.definitions.parsing import parse_definition

CLAUDE = """---
name: code-reviewer
description: Use this agent after a change. Examples: <example>Context: a commit.</example>
tools: Read, Grep, Agent(worker, researcher)
model: inherit
color: cyan
maxTurns: 20
permissionMode: acceptEdits
hooks:
  PreToolUse:
    - matcher: Bash
---
You review code.
"""
COPILOT = """---
name: Feature Builder
description: Builds features.
argument-hint: what to build
tools: ['search/codebase', 'search/usages', 'web/fetch', 'edit', 'github/*']
model: ['Claude Opus 4.5', 'GPT-5.2']
handoffs:
  - label: Review
    agent: reviewer
---
# Building
"""
GEMINI = """---
name: security-auditor
description: Finds holes.
kind: local
tools:
  - read_file
  - '*'
model: gemini-3-flash-preview
temperature: 0.2
max_turns: 10
timeout_mins: 5
---
You audit.
"""
CODEX = """# reviewer
name = "pr_explorer"
description = "Read-only explorer."
nickname_candidates = ["Atlas", "Delta"]
model = "gpt-5.3-codex"
sandbox_mode = "read-only"
developer_instructions = '''
Explore.
model = "in the prompt"
'''

[mcp_servers.docs]
url = "https://docs.example"
"""
CURSOR = """---
name: verifier
description: Verifies.
model: fast
readonly: true
is_background: true
---
You verify.
"""
LLXPRT = """{
  "name": "planner",
  "profile": "big",
  "systemPrompt": "# Planner\\nYou plan.",
  "createdAt": "2026-01-01T00:00:00.000Z",
  "updatedAt": "2026-01-01T00:00:00.000Z"
}
"""


def read(form: Format, text: str, path: str = "x") -> tuple[Definition, list[tuple[int | None, str]]]:
    definition, problems = parse_definition(text.encode(), f"{path}{form.suffix}", form)
    assert definition is not None, problems
    return definition, [(problem.line, problem.message.split(":")[0]) for problem in problems]


def problem(form: Format, text: str, path: str = "x") -> tuple[int | None, str]:
    definition, problems = parse_definition(text.encode(), f"{path}{form.suffix}", form)
    assert definition is None
    return problems[-1].line, problems[-1].message


def test_a_file_of_claude_code() -> None:
    definition, notes = read(formats.CLAUDE, CLAUDE)
    assert definition == Definition(
        name="code-reviewer",
        description="Use this agent after a change. Examples: <example>Context: a commit.</example>",
        system_prompt="You review code.",
        tools=("Read", "Grep", "Agent(worker, researcher)"),
        max_turns=20,
        permissions="allowEdits",
    )
    assert notes == [(9, "hooks is ignored")]


def test_a_file_of_copilot_goes_by_its_file_name_where_its_own_cannot_be_typed() -> None:
    definition, notes = read(formats.COPILOT, COPILOT, "feature-builder")
    assert (definition.name, definition.model) == ("feature-builder", "Claude Opus 4.5")
    assert definition.tools == ("search", "fetch", "edit", "github/*")
    assert notes == [(7, "handoffs is ignored")]


def test_a_file_of_copilot_needs_no_front_matter() -> None:
    definition, notes = read(formats.COPILOT, "\n# Explains code\nYou explain.\n", "explainer")
    assert (definition.name, definition.description, notes) == ("explainer", "Explains code", [])
    assert definition.system_prompt == "# Explains code\nYou explain."


def test_a_file_of_gemini_cli() -> None:
    definition, notes = read(formats.GEMINI, GEMINI)
    assert (definition.tools, definition.max_turns, definition.timeout_seconds) == (None, 10, 300)
    assert (definition.model, definition.model_line) == ("gemini-3-flash-preview", 8)
    assert notes == [(9, "temperature is ignored")]


def test_a_remote_agent_is_not_a_definition() -> None:
    text = "---\nkind: remote\nname: a\ndescription: d\nagent_card_url: https://x.example/card\n---\n"
    line, message = problem(formats.GEMINI, text)
    assert line == 2
    assert message.startswith("kind: remote agents are not supported")


def test_a_file_of_codex() -> None:
    definition, notes = read(formats.CODEX, CODEX)
    assert definition == Definition(
        name="pr_explorer",
        description="Read-only explorer.",
        system_prompt='Explore.\nmodel = "in the prompt"',
        model="gpt-5.3-codex",
        permissions="deny",
    )
    assert (definition.model_line, notes) == (5, [(12, "mcp_servers is ignored")])


@pytest.mark.parametrize("form", [formats.SIDECAR, formats.CLAUDE, formats.GEMINI, formats.COPILOT])
def test_a_tool_in_parentheses_that_cannot_be_parsed_is_ignored(form: Format) -> None:
    text = "---\nname: a\ndescription: d\ntools: Bash(git:*), Skill(deploy), Task(a, b)\n---\nb\n"
    definition, (problem,) = parse_definition(text.encode(), f"a{form.suffix}", form)
    assert definition is not None
    assert definition.tools == ("Bash(git:*)", "Task(a, b)")
    reported = "tools: Skill(deploy) is ignored: only tools that run commands"
    assert (problem.line, problem.message[: len(reported)]) == (4, reported)


def test_a_file_of_cursor() -> None:
    definition, notes = read(formats.CURSOR, CURSOR)
    assert (definition.name, definition.permissions, definition.model) == ("verifier", "deny", "fast")
    assert notes == []


def test_a_file_of_llxprt() -> None:
    definition, notes = read(formats.LLXPRT, LLXPRT)
    assert definition == Definition(
        name="planner", description="Planner", system_prompt="# Planner\nYou plan."
    )
    assert notes == [(3, "profile is ignored")]


@pytest.mark.parametrize(
    ("form", "key", "value", "message"),
    [
        (formats.CLAUDE, "permissionMode", "bypassPermissions", "permissionMode: bypassPermissions is not"),
        (formats.CLAUDE, "permissionMode", "auto", "permissionMode: auto is not supported"),
        (formats.CLAUDE, "disallowedTools", "Bash", "disallowedTools is ignored"),
        (formats.COPILOT, "mcp-servers", "{a: {command: x}}", "mcp-servers is ignored"),
        (formats.GEMINI, "policy", "{}", "policy is ignored"),
    ],
)
def test_an_unsupported_key_is_reported(form: Format, key: str, value: str, message: str) -> None:
    text = f"---\nname: a\ndescription: d\n{key}: {value}\n---\nb\n"
    definition, (problem,) = parse_definition(text.encode(), f"a{form.suffix}", form)
    assert definition is not None
    assert definition.permissions is None
    assert (problem.line, problem.message[: len(message)]) == (4, message)


@pytest.mark.parametrize(
    "form", [formats.CLAUDE, formats.COPILOT, formats.GEMINI, formats.CURSOR], ids=lambda form: form.name
)
def test_keys_that_only_another_tool_knows_are_left_to_it(form: Format) -> None:
    text = "---\nname: a\ndescription: d\ncolor: red\nnewest: {deep: [1]}\nmodel:\n---\nb\n"
    definition, notes = read(form, text)
    assert (definition.model, notes) == (None, [])


@pytest.mark.parametrize(
    ("form", "text", "line", "message"),
    [
        (formats.CLAUDE, "# Read me\n", 1, "no front matter"),
        (formats.CLAUDE, "---\nname: a\n---\n", 1, "description is missing"),
        (formats.CLAUDE, "---\nname: a\ndescription: d\nmaxTurns: many\n---\n", 4, "maxTurns: expected"),
        (formats.CLAUDE, "---\nname: a\ndescription: [: b\n---\n", 3, "not YAML"),
        (formats.COPILOT, "---\nname: a\n---\n", 1, "description is missing, and the prompt"),
        (formats.CURSOR, "---\nname: a\nreadonly: often\n---\nb", 3, "readonly: expected true or false"),
        (formats.CODEX, 'name = "a"\ndescription = "d"\n', 1, "developer_instructions is missing"),
        (formats.CODEX, 'name = "a"\nname = "b"\n', 2, "not TOML: Cannot overwrite a value"),
        (formats.CODEX, 'name = "a', 1, "not TOML: Unterminated string"),
        (formats.CODEX, 'name = "a"\nmodel = 4\n', 2, "model: expected text, got a number"),
        (formats.CODEX, "\n" * 9 + "a = " + "[" * 9_000, None, "unreadable TOML"),
        (formats.LLXPRT, '{\n"name": "a",\n"systemPrompt": 4}', 3, "systemPrompt: expected text"),
        (formats.LLXPRT, '{"name": "a",\n}', 2, "not JSON: "),
        (formats.LLXPRT, '{"name": "a",\n"name": "b", "systemPrompt": "p"}', 2, "name is given twice"),
        (formats.LLXPRT, "[1]", 1, "the file is not a single JSON object"),
        (formats.LLXPRT, "[" * 50_000, None, "unreadable JSON"),
        (formats.LLXPRT, '{"name": "a", "systemPrompt": "\\ud800"}', 1, "systemPrompt: contains an unpaired"),
        (
            formats.GEMINI,
            '---\nname: a\ndescription: "\\ud800"\n---\n',
            3,
            "description: contains an unpaired",
        ),
    ],
)
def test_a_problem_is_reported_with_its_line(form: Format, text: str, line: int | None, message: str) -> None:
    assert problem(form, text)[0] == line
    assert problem(form, text)[1].startswith(message)


def test_a_subagent_without_a_usable_name_is_a_problem() -> None:
    line, message = problem(formats.CURSOR, "---\ndescription: d\nname: Ein Prüfer\n---\nb", "Prüfer 2")
    assert line == 3
    assert message.startswith("neither the name nor the file name is 1 to 64 letters")
