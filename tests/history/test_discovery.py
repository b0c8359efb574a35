import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.history.discovery import discover_roots
from sidecar.history.stores.editors import Machine
from sidecar.history.stores.settings_file import custom_paths

ROO, CLINE = "rooveterinaryinc.roo-cline", "saoudrizwan.claude-dev"
CUSTOM = {"roo-cline.customStoragePath", "zoo-code.customStoragePath", "kilo-code.customStoragePath"}


def machine(home: Path, platform: str = "linux", **environment: str) -> Machine:
    return Machine(home, environment, platform)


def store(path: Path) -> Path:
    (path / "tasks").mkdir(parents=True)
    return path


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", ".config/Code/User"),
        ("linux", ".config/Code - Insiders/User"),
        ("linux", ".config/Cursor/User"),
        ("linux", ".vscode-server/data/User"),
        ("linux", ".cursor-server/data/User"),
        ("linux", ".windsurf-server/data/User"),
        ("linux", ".vscode-remote/data/User"),
        ("linux", ".openvscode-server/data/User"),
        ("linux", ".antigravity-ide-server/data/User"),
        ("linux", ".kiro-server/data/User"),
        ("linux", ".trae-server/data/User"),
        ("linux", ".config/Kiro/User"),
        ("linux", ".local/share/code-server/User"),
        ("linux", ".var/app/com.vscodium.codium/config/VSCodium/User"),
        ("darwin", "Library/Application Support/Windsurf/User"),
        ("win32", "AppData/Roaming/VSCodium/User"),
    ],
)
def test_the_folder_of_every_editor_is_searched(tmp_path: Path, platform: str, folder: str) -> None:
    root = store(tmp_path / folder / "globalStorage" / ROO)
    assert discover_roots(machine(tmp_path, platform)).roots == [root]


def test_a_root_that_is_known_is_not_read_again(tmp_path: Path) -> None:
    known, found = tmp_path / ".copilot", store(tmp_path / ".cline" / "data")
    assert discover_roots(machine(tmp_path), {known}).roots == [found, known]


@pytest.mark.parametrize(
    "extension",
    ["rooveterinaryinc.roo-code-nightly", "zoocodeorganization.zoo-code", "kilocode.kilo-code", CLINE],
)
def test_every_product_is_searched_for(tmp_path: Path, extension: str) -> None:
    root = store(tmp_path / ".config" / "Code" / "User" / "globalStorage" / extension)
    assert discover_roots(machine(tmp_path)).roots == [root]


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, ".cline/data"),
        ({"CLINE_DIR": "{home}/elsewhere"}, "elsewhere/data"),
        ({"CLINE_DIR": "{home}/no", "CLINE_DATA_DIR": "{home}/data"}, "data"),
        ({"CLINE_DIR": "not/absolute"}, ".cline/data"),
        ({}, ".vscode-mock/global-storage"),
        ({"XDG_CONFIG_HOME": "{home}/conf"}, f"conf/Code/User/globalStorage/{ROO}"),
        ({}, ".kilocode/cli/global"),
        ({"VSCODE_PORTABLE": "{home}/portable"}, f"portable/user-data/User/globalStorage/{ROO}"),
    ],
)
def test_command_lines_and_variables_are_followed(
    tmp_path: Path, variables: dict[str, str], folder: str
) -> None:
    root = store(tmp_path / folder)
    named = {name: value.format(home=tmp_path) for name, value in variables.items()}
    assert discover_roots(machine(tmp_path, **named)).roots == [root]


@pytest.mark.parametrize("name", ["settings.json", "profiles/work/settings.json", "../Machine/settings.json"])
def test_a_custom_path_counts_as_well_as_the_default_one(tmp_path: Path, name: str) -> None:
    user = tmp_path / ".config" / "Code" / "User"
    default, custom = store(user / "globalStorage" / ROO), store(tmp_path / "my tasks")
    settings = user / name
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"roo-cline.customStoragePath": str(custom), "editor.fontSize": 12}))
    assert discover_roots(machine(tmp_path)).roots == [default, custom]


@pytest.mark.parametrize(
    ("settings", "paths"),
    [
        ('{"kilo-code.customStoragePath": "/a b/ü",}', ["/a b/ü"]),
        (
            '{// "roo-cline.customStoragePath": "/no",\n"zoo-code.customStoragePath" /* x */ : "/yes"}',
            ["/yes"],
        ),
        ('{"roo-cline.customStoragePath": "/a", "roo-cline.customStoragePath": "/b"}', ["/b"]),
        ('{"roo-cline.customStoragePath": "C:\\\\no\\"de", "x": "roo-cline.customStoragePath"}', []),
        ('{"roo-cline.customStoragePath": "relative"}', []),
        ('{"roo-cline.customStoragePath": null, "a": "/b"}', []),
        ('{"roo-cline.customStoragePath": "/cut', []),
        ('{"roo-cline.customStoragePath" /* cut', []),
        ("", []),
    ],
)
def test_custom_paths_are_read_from_json_with_comments(settings: str, paths: list[str]) -> None:
    assert custom_paths(settings.encode(), CUSTOM) == [Path(path) for path in paths]


@given(st.binary(max_size=200) | st.text(st.sampled_from('"\\/*:\n{}a'), max_size=60).map(str.encode))
def test_no_settings_file_stops_the_search(settings: bytes) -> None:
    assert custom_paths(settings, CUSTOM) == []


def test_a_long_unfinished_comment_takes_linear_time() -> None:
    assert custom_paths(b"/*/" * 1_000_000, CUSTOM) == []


def test_what_was_searched_is_reported(tmp_path: Path) -> None:
    root = store(tmp_path / ".config" / "Code" / "User" / "globalStorage" / CLINE)
    searched = {place.path: place for place in discover_roots(machine(tmp_path)).searched}
    assert searched[root].found and CLINE in searched[root].why
    absent = tmp_path / ".config" / "Cursor" / "User" / "globalStorage" / CLINE
    assert not searched[absent].found


def test_places_that_are_not_folders_hold_nothing(tmp_path: Path) -> None:
    user = tmp_path / ".config" / "Code" / "User"
    (user / "globalStorage").mkdir(parents=True)
    (user / "globalStorage" / ROO).write_bytes(b"")
    os.mkfifo(user / "settings.json")
    assert discover_roots(machine(tmp_path)).roots == []
