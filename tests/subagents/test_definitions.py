import os
from pathlib import Path

import pytest

from sidecar.api.errors import SubagentNotFound
from sidecar.subagents import definitions as module
from sidecar.subagents.definition_file import ParsedFile, parse_definition
from sidecar.subagents.definitions import (
    DefinitionDirectory,
    DefinitionSet,
    Level,
    LoadedDefinitions,
    definition_directories,
    find,
)


def write(directory: Path, file: str, name: str, **members: str) -> str:
    directory.mkdir(exist_ok=True, parents=True)
    lines = [f"{key}: {value}" for key, value in {"name": name, "description": "d", **members}.items()]
    path = directory / file
    path.write_text("\n".join(["---", *lines, "---", f"Prompt of {file}"]))
    return str(path)


def load(*directories: tuple[Path, Level]) -> LoadedDefinitions:
    return DefinitionSet().load([DefinitionDirectory(*directory) for directory in directories])


def test_directories_come_in_order_of_precedence(tmp_path: Path) -> None:
    found = definition_directories(["~/mine", "/x"], ["/w1", "/w2"], trusted=True, config_dir=tmp_path)
    assert [(str(directory.path), directory.level) for directory in found] == [
        (os.path.expanduser("~/mine"), "settings"),
        ("/x", "settings"),
        ("/w1/.sidecar/agents", "workspace"),
        ("/w2/.sidecar/agents", "workspace"),
        (str(tmp_path / "agents"), "user"),
    ]


def test_without_trust_a_workspace_is_not_read(tmp_path: Path) -> None:
    found = definition_directories([], ["/w"], trusted=False, config_dir=tmp_path)
    assert [directory.level for directory in found] == ["user"]


def test_the_first_of_a_name_hides_the_others(tmp_path: Path) -> None:
    paths = [write(tmp_path / level, "x.md", "same") for level in ("one", "two", "three")]
    loaded = load(
        (tmp_path / "one", "settings"), (tmp_path / "two", "workspace"), (tmp_path / "three", "user")
    )
    assert loaded.problems == []
    assert [(placed.path, placed.level, placed.shadowed_by) for placed in loaded.definitions] == [
        (paths[0], "settings", None),
        (paths[1], "workspace", paths[0]),
        (paths[2], "user", paths[0]),
    ]
    assert find(loaded.definitions, "same").path == paths[0]


def test_a_name_twice_in_one_directory_is_a_problem(tmp_path: Path) -> None:
    first, second = (write(tmp_path, file, "same") for file in ("a.md", "b.md"))
    loaded = load((tmp_path, "user"))
    assert [placed.path for placed in loaded.definitions] == [first]
    assert [(p.path, p.message) for p in loaded.problems] == [
        (second, f"name 'same' is taken by {first}; rename one")
    ]


def test_the_same_directory_under_two_names_hides_nothing(tmp_path: Path) -> None:
    write(tmp_path / "real", "a.md", "a")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    loaded = load((tmp_path / "real", "settings"), (tmp_path / "link", "user"))
    assert [placed.shadowed_by for placed in loaded.definitions] == [None]


def test_only_markdown_files_are_definitions(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "a")
    write(tmp_path, "B.MD", "b")
    for name in ("notes.txt", "a.md~", "README"):
        (tmp_path / name).write_text("no definition")
    loaded = load((tmp_path, "user"))
    assert sorted(placed.definition.name for placed in loaded.definitions) == ["a", "b"]
    assert loaded.problems == []


def test_one_bad_file_spoils_no_other(tmp_path: Path) -> None:
    write(tmp_path, "good.md", "good")
    (tmp_path / "bad.md").write_bytes(b"---\nname: [\n---\n")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.md")
    loaded = load((tmp_path, "user"))
    assert [placed.definition.name for placed in loaded.definitions] == ["good"]
    names = [Path(problem.path).name for problem in loaded.problems]
    assert names == ["bad.md", "folder.md", "gone.md", "pipe.md"]
    assert loaded.problems[0].line == 2


def test_a_directory_somebody_named_has_to_be_there(tmp_path: Path) -> None:
    assert load((tmp_path / "no", "user"), (tmp_path / "no2", "workspace")) == LoadedDefinitions([], [])
    (problem,) = load((tmp_path / "no", "settings")).problems
    assert (problem.path, problem.message) == (
        str(tmp_path / "no"),
        "cannot be read: No such file or directory",
    )


def test_a_file_in_the_place_of_a_directory_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (problem,) = load((tmp_path / "file", "user")).problems
    assert problem.message == "cannot be read: Not a directory"


def test_a_flood_of_files_is_bounded_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FILES", 2)
    for name in "abc":
        write(tmp_path, f"{name}.md", name)
    loaded = load((tmp_path, "user"))
    assert [placed.definition.name for placed in loaded.definitions] == ["a", "b"]
    assert loaded.problems[0].message == "holds 3 definition files; only the first 2 by name are read"


def test_loading_again_parses_only_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(data: bytes, path: str) -> ParsedFile:
        parsed.append(Path(path).name)
        return parse_definition(data, path)

    monkeypatch.setattr("sidecar.subagents.definitions.parse_definition", counted)
    write(tmp_path, "a.md", "a")
    write(tmp_path, "b.md", "b")
    kept, directories = DefinitionSet(), [DefinitionDirectory(tmp_path, "user")]
    assert kept.load(directories) == kept.load(directories)
    assert parsed == ["a.md", "b.md"]
    write(tmp_path, "b.md", "renamed")
    (tmp_path / "a.md").unlink()
    assert [placed.definition.name for placed in kept.load(directories).definitions] == ["renamed"]
    assert parsed == ["a.md", "b.md", "b.md"]


def test_an_unknown_name_is_answered_with_those_there_are(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "beta")
    write(tmp_path, "a.md", "alpha")
    with pytest.raises(
        SubagentNotFound, match="no subagent is named 'gamma'; there are: alpha, beta"
    ) as caught:
        find(load((tmp_path, "user")).definitions, "gamma")
    assert caught.value.data == {"subagentName": "gamma", "available": ["alpha", "beta"]}


def test_a_client_sees_the_runner_that_would_be_used(tmp_path: Path) -> None:
    path = write(tmp_path, "a.md", "a", tools="[x]")
    write(tmp_path, "b.md", "b", runner="special")
    one, two = (placed.info("shell") for placed in load((tmp_path, "user")).definitions)
    assert (one.runner, one.tools, one.source.path, one.source.level) == ("shell", ["x"], path, "user")
    assert (two.runner, two.tools) == ("special", None)
