import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sidecar.subagents.definitions import DefinitionDirectory, definition_directories
from sidecar.subagents.definitions.places import directories_in, format_at


def places(
    home: Path,
    settings: list[str],
    folders: list[str],
    *,
    trusted: bool = True,
    environment: Mapping[str, str] | None = None,
) -> list[tuple[str, str, str]]:
    found = definition_directories(
        settings,
        folders,
        trusted=trusted,
        config_dir=Path("/config"),
        home=home,
        environment=environment or {},
    )
    return [(str(place.path), place.level, place.format.name) for place in found]


def test_directories_come_in_order_of_precedence() -> None:
    home = Path("/home/me")
    assert places(home, ["~/mine", "/x/.claude/agents"], ["/w1", "/w2"]) == [
        (os.path.expanduser("~/mine"), "settings", "sidecar"),
        ("/x/.claude/agents", "settings", "claude"),
        ("/w1/.sidecar/agents", "workspace", "sidecar"),
        ("/w2/.sidecar/agents", "workspace", "sidecar"),
        ("/w1/.claude/agents", "workspace", "claude"),
        ("/w1/.github/agents", "workspace", "copilot"),
        ("/w1/.gemini/agents", "workspace", "gemini"),
        ("/w1/.codex/agents", "workspace", "codex"),
        ("/w1/.cursor/agents", "workspace", "cursor"),
        ("/w2/.claude/agents", "workspace", "claude"),
        ("/w2/.github/agents", "workspace", "copilot"),
        ("/w2/.gemini/agents", "workspace", "gemini"),
        ("/w2/.codex/agents", "workspace", "codex"),
        ("/w2/.cursor/agents", "workspace", "cursor"),
        ("/config/agents", "user", "sidecar"),
        ("/home/me/.claude/agents", "user", "claude"),
        ("/home/me/.copilot/agents", "user", "copilot"),
        ("/home/me/.gemini/agents", "user", "gemini"),
        ("/home/me/.codex/agents", "user", "codex"),
        ("/home/me/.cursor/agents", "user", "cursor"),
        ("/home/me/.llxprt/subagents", "user", "llxprt"),
    ]


def test_without_trust_a_workspace_is_not_checked() -> None:
    found = places(Path("/home/me"), [], ["/w"], trusted=False)
    assert {level for _, level, _ in found} == {"user"}


def test_variables_of_other_tools_move_their_folders_in_the_home_alone() -> None:
    moved = {"CLAUDE_CONFIG_DIR": "/else/where", "CODEX_HOME": "here", "GEMINI_HOME": "/not/one"}
    found = places(Path("/home/me"), ["/else/where/agents"], ["/w"], environment=moved)
    assert ("/else/where/agents", "settings", "claude") in found
    assert ("/w/.claude/agents", "workspace", "claude") in found
    user = [(path, name) for path, level, name in found if level == "user"]
    assert user[1:5] == [
        ("/else/where/agents", "claude"),
        ("/home/me/.copilot/agents", "copilot"),
        ("/home/me/.gemini/agents", "gemini"),
        (str(Path("here/agents").absolute()), "codex"),
    ]
    assert places(Path("/home/me"), [], [], environment={"CODEX_HOME": ""})[4][0] == "/home/me/.codex/agents"


def test_a_file_in_a_folder_that_a_variable_names_is_in_its_tool_s_format() -> None:
    moved = {"CLAUDE_CONFIG_DIR": "/else/where"}
    assert format_at(Path("/else/where/agents/team/a.md"), moved).name == "claude"
    assert format_at(Path("/else/where/a.md"), moved).name == "sidecar"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/w/.claude/agents/team/a.md", "claude"),
        ("/w/.github/agents/a.agent.md", "copilot"),
        ("/w/.gemini/agents", "gemini"),
        ("/w/elsewhere/a.toml", "codex"),
        ("/w/elsewhere/a.agent.md", "copilot"),
        ("/w/elsewhere/a.json", "llxprt"),
        ("/w/elsewhere/a.md", "sidecar"),
        ("/w/.claude/a.md", "sidecar"),
        ("/", "sidecar"),
    ],
)
def test_a_file_named_by_hand_is_in_the_format_of_its_place(path: str, name: str) -> None:
    assert format_at(Path(path), {}).name == name


def test_a_folder_named_by_hand_is_a_workspace_or_holds_definitions_itself(tmp_path: Path) -> None:
    assert directories_in(tmp_path, {}) == [DefinitionDirectory(tmp_path, "settings")]
    (tmp_path / ".codex" / "agents").mkdir(parents=True)
    (found,) = directories_in(tmp_path, {})
    assert (found.path, found.format.name) == (tmp_path / ".codex" / "agents", "codex")
