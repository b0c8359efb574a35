"""Calls that try to reach files which a rule for `src/**` does not allow."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.permissions.policy import decide
from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.acp.updates.question import question_of
from tests.subagents.permissions.path_tricks import FILE_TOOLS, OUTSIDE, calls

Json = dict[str, Any]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outside = tmp_path_factory.mktemp("outside")
    workspace = tmp_path_factory.mktemp("workspace")
    (outside / "x").write_text("secret")
    for folder in ("src/deep", "lib/deep"):
        (workspace / folder).mkdir(parents=True)
    for name in ("src/a", "lib/a", "lib/x"):
        (workspace / name).write_text("x")
    links = {
        "src/out": outside,
        "src/outfile": outside / "x",
        "src/dangling": "/nonexistent/x",
        "src/in": "../lib",
    }
    others = {"src/deep/up": "../../..", "linked": "src", "src/proc": "/proc/self/cwd"}
    for name, target in {**links, **others}.items():
        (workspace / name).symlink_to(str(target))
    return workspace


def filled(value: Any, workspace: Path) -> Any:
    """Return a call with the workspace in place of `{w}`."""
    if isinstance(value, dict):
        return {filled(key, workspace): filled(one, workspace) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(each, workspace) for each in value]
    return value.replace("{w}", str(workspace)) if isinstance(value, str) else value


CALLS = list(calls())


def test_there_are_many_calls_of_each_kind() -> None:
    kinds = Counter(kind for kind, _ in CALLS)
    assert kinds.keys() == FILE_TOOLS.keys() and min(kinds.values()) > 100


@pytest.mark.parametrize("kind", FILE_TOOLS)
def test_no_spelling_passes_a_rule_for_a_folder(
    kind: str, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace)
    rule = ToolRule(((f"{FILE_TOOLS[kind]}(src/**)",),))

    def passes(call: Json) -> bool:
        return rule.allows(question_of({"kind": kind, **filled(call, workspace)}, []), workspace)

    assert [call for of_kind, call in CALLS if of_kind == kind and passes(call)] == []


@pytest.mark.parametrize("name", ["path", "cwd", "files"])
def test_no_spelling_passes_for_an_edit_in_the_workspace(name: str, workspace: Path) -> None:
    def decision(value: str) -> str:
        raw = filled({"file_path": "src/a", name: value}, workspace)
        return decide("allowEdits", question_of({"kind": "edit", "rawInput": raw}, []), workspace)

    assert [value for value in OUTSIDE if decision(value) != "ask"] == []


ORDINARY: list[tuple[str, str, Json]] = [
    (
        "Edit(src/**)",
        "edit",
        {"file_path": "src/a", "old_string": "/a/../b", "new_string": "#!/bin/sh\n../x"},
    ),
    (
        "Edit(src/**)",
        "edit",
        {"file_path": "{w}/src/new", "content": "/* see ../../x */ https://example.com"},
    ),
    ("Edit(src/**)", "edit", {"filePath": "src/a", "oldString": "~", "newString": "/", "replaceAll": True}),
    ("Edit(src/**)", "edit", {"file_path": "src/a", "edits": [{"oldText": "/", "newText": "../x"}]}),
    ("Edit(src/**)", "edit", {"changes": {"{w}/src/a": {"update": {"unified_diff": "@@ -1 +1 @@\n-/\n"}}}}),
    ("Edit(src/**)", "edit", {"patchText": "*** Begin Patch\n*** Update File: src/a\n-../x\n*** End Patch"}),
    ("Edit(src/**)", "edit", {"diff": "--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n", "path": "src/a"}),
    ("Edit(src/**)", "edit", {"file_path": "src/a", "cwd": "{w}"}),
    ("Edit(src/**)", "edit", {"file_path": "src/app/(group)/[id]/$id.tsx"}),
    (
        "Edit(src/**)",
        "edit",
        {"file_path": "src/caf\u00e9 \u65e5\u672c.py", "instruction": "move ../a to /b"},
    ),
    ("Read(src/**)", "read", {"file_path": "src/a", "offset": 1, "limit": 20}),
    ("Read(src/**)", "read", {"uri": "file://{w}/src/a"}),
    ("Read(src/**)", "read", {"paths": ["src/a", "src/deep/**/*.py"], "exclude": ["../x"]}),
    ("Grep(src/**)", "search", {"pattern": "a|b.*c", "path": "src/deep", "glob": "*.{ts,tsx}", "-n": True}),
    ("Grep(src/**)", "search", {"pattern": r"\bfoo\(\d+\)", "path": "src/a", "output_mode": "content"}),
    (
        "Grep(src/**)",
        "search",
        {"pattern": "import .* from", "dir_path": "{w}/src/deep", "include": "**/*.py"},
    ),
    ("Grep(src/)", "search", {"pattern": "x", "path": "src"}),
    ("Glob(src/**)", "search", {"pattern": "src/**/*.py"}),
    ("Glob(src/**)", "search", {"pattern": "{w}/src/*.py"}),
    ("Glob(src/**/*.py)", "search", {"pattern": "src/**/test_*.py"}),
    ("Glob(src/)", "search", {"pattern": "**/*.py", "path": "src"}),
    ("Glob(*.py)", "search", {"pattern": "lib/*.py"}),
    ("Read(//etc/**)", "read", {"path": "/etc/hosts"}),
    ("move(src/**)", "move", {"source": "src/a", "destination": "src/b"}),
]


@pytest.mark.parametrize(("rule", "kind", "raw"), ORDINARY)
def test_ordinary_calls_pass(rule: str, kind: str, raw: Json, workspace: Path) -> None:
    question = question_of({"kind": kind, "rawInput": filled(raw, workspace)}, [])
    assert ToolRule(((rule,),)).allows(question, workspace)


@pytest.mark.parametrize(
    ("rule", "pattern"),
    [
        ("Glob(src/?)", "src/*"),
        ("Glob(src/[!b]*)", "src/*"),
        ("Glob(src/*/x)", "src/**/x"),
        ("Glob(src/*.py)", "src/*"),
        ("Glob(src/*.py)", "src/{a.py,b.txt}"),
        ("Glob(src/*.py)", "src/*.py/../b"),
    ],
)
def test_a_pattern_that_reaches_more_than_a_rule_does_not_fit(
    rule: str, pattern: str, workspace: Path
) -> None:
    question = question_of({"kind": "search", "rawInput": {"pattern": pattern}}, [])
    assert not ToolRule(((rule,),)).allows(question, workspace)
