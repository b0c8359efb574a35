"""Command lines that try to run or write more than a rule allows."""

from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.acp.updates.question import question_of
from tests.subagents.permissions.command_tricks import AFTER_GIT_LOG, BEFORE_GIT_LOG, RISKY

Json = dict[str, Any]

NEIGHBORS: list[Json] = [
    {"command": "git log", "cwd": "/etc"},
    {"command": "git log", "workdir": ".."},
    {"command": "git log", "directory": "~"},
    {"command": "git log", "cwd": "out"},
    {"command": "git log", "cwd": ["."]},
    {"command": "git log", "cwd": "file:///etc"},
    {"command": "git log", "cwd": ".\\..\\.."},
    {"command": "git log", "cwd": "$HOME"},
    {"command": "git log", "workingDirectory": "./%2e%2e/"},
    {"command": "git log", "env": {"GIT_PAGER": "evil"}},
    {"command": "git log", "environment": {"A": "b"}},
    {"command": "git log", "stdin": "rm"},
    {"command": "git log", "input": "rm"},
    {"command": "git log", "shell": "/tmp/evil"},
    {"command": "git log", "cmd": "rm x"},
    {"command": "git log", "Command": "rm x"},
    {"command": "git log", "args": ["; rm x"]},
    {"command": "git log", "args": "; rm x"},
    {"command": "git", "args": ["-c", "core.pager=evil", "log"]},
    {"command": "git log", "commands": ["rm x"]},
    {"command": "git log", "script": "rm x"},
    {"command": "git log", "nested": {"command": "rm x"}},
    {"command": "git log", "dangerouslyDisableSandbox": True},
    {"command": "git log", "sandbox_permissions": "require_escalated"},
    {"command": "git log", "with_escalated_permissions": True},
    {"command": "git log", "additional_permissions": {"file_system": {"write": ["/"]}}},
    {"command": ["git", "log", ";", "rm"], "argv": ["rm"]},
    {"command": ["bash", "-lc", "git log"]},
    {"command": ["git log", "x"]},
    {"command": ["git;rm", "log"]},
    {"command": {"program": "git", "args": ["log"]}},
    {"commandLine": "git log"},
    {"description": "git log"},
    {"title": "git log"},
    {},
]

LINES = [
    *(("git log*", f"git log{after}") for after in AFTER_GIT_LOG),
    *(("git log:*", f"git log x{after}") for after in AFTER_GIT_LOG),
    *(("git log *", f"{before}git log") for before in BEFORE_GIT_LOG),
    *RISKY,
]


def test_no_line_runs_more_than_a_rule_allows(tmp_path: Path) -> None:
    def allows(rule: str, line: str) -> bool:
        question = question_of({"kind": "execute", "rawInput": {"command": line}}, [])
        return ToolRule(((f"Bash({rule})",),)).allows(question, tmp_path)

    assert [(rule, line) for rule, line in LINES if allows(rule, line)] == []


@pytest.mark.parametrize("kind", ["execute", "read", "other"])
def test_nothing_next_to_a_line_changes_what_runs(kind: str, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path.parent)
    rule = ToolRule((("Bash(git *)",),))

    def allows(raw: Json) -> bool:
        return rule.allows(question_of({"kind": kind, "title": "git log", "rawInput": raw}, []), tmp_path)

    assert [raw for raw in NEIGHBORS if allows(raw)] == []


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("git *", "git log -3 --oneline"),
        ("git *", "git commit -m 'fix {a,b}; see -c'"),
        ("git *", "git commit -c HEAD"),
        ("git *", "git switch -C main"),
        ("git *", "git diff main..dev"),
        ("git *", "git diff origin/main...HEAD -- src/a.py"),
        ("git *", "git add /projects/space/a.py"),
        ("git *", "git worktree list"),
        ("git *", "git worktree add trees/x main"),
        ("git worktree add *", "git worktree add trees/x"),
        ("git worktree add ../*", "git worktree add ../x"),
        ("git *", "git init"),
        ("git *", "git clone https://example.com/a.git"),
        ("git *", "git clone git@example.com:a/b.git lib"),
        ("git *", "git push origin HEAD:refs/heads/x"),
        ("git *", "git checkout -b feature/x"),
        ("git *", "git bundle create backup HEAD"),
        ("git *", "git mv src/a.py src/b.py"),
        ("git *", "git rm -r --cached build"),
        ("git *", "git stash show stash@{0}"),
        ("git *", "git push -u origin main"),
        ("git *", "git clean -xdf"),
        ("git -c *", "git -c core.pager=cat log"),
        ("git config *", "git config user.name x"),
        ("git -C sub *", "git -C sub log"),
        ("find *", "find . -name '*.py' -type f"),
        ("find * -delete", "find . -name x -delete"),
        ("find . -exec grep *", "find . -exec grep x {} +"),
        ("tar *", "tar -czf a.tgz src"),
        ("npm run *", "npm run build"),
        ("npm *", "npm install --save-dev x"),
        ("ls *", "ls src/{a,b}"),
        ("curl *", "curl -sSL https://example.com"),
        ("env *", "env A=b make"),
        ("* --version", "node --version"),
    ],
)
def test_ordinary_lines_fit(rule: str, line: str, tmp_path: Path) -> None:
    question = question_of({"kind": "execute", "rawInput": {"command": line}}, [])
    assert ToolRule(((f"Bash({rule})",),)).allows(question, tmp_path)


def test_a_rule_that_names_a_place_elsewhere_allows_no_other_one(tmp_path: Path) -> None:
    rule = ToolRule((("Bash(git worktree add /tmp/*)",),))
    near, far = (
        question_of({"kind": "execute", "rawInput": {"command": f"git worktree add /tmp/{place}"}}, [])
        for place in ("x", "../etc/x")
    )
    assert rule.allows(near, tmp_path)
    assert not rule.allows(far, tmp_path)
