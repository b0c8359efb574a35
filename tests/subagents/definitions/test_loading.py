import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.api.errors import SubagentNotFound
from sidecar.subagents.definitions import (
    DefinitionDirectory,
    DefinitionSet,
    Level,
    LoadedDefinitions,
    check,
    definition_directories,
    find,
    fingerprint,
    formats,
    reading,
)
from sidecar.subagents.definitions.formats import Format
from sidecar.subagents.definitions.model import ParsedFile
from sidecar.subagents.definitions.parsing import parse_definition


def write(directory: Path, file: str, name: str, **members: str) -> str:
    directory.mkdir(exist_ok=True, parents=True)
    lines = [f"{key}: {value}" for key, value in {"name": name, "description": "d", **members}.items()]
    path = directory / file
    path.write_text("\n".join(["---", *lines, "---", f"Prompt of {file}"]))
    return str(path)


def load(*directories: tuple[Path, Level]) -> LoadedDefinitions:
    return DefinitionSet().load([DefinitionDirectory(*directory) for directory in directories])


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
        (second, f"name 'same' is already used by {first}; rename one")
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


def test_names_that_no_directory_can_have_are_problems(tmp_path: Path) -> None:
    directories = definition_directories(
        ["~nobody-of-this-name/x", "a\0b"],
        [],
        trusted=True,
        config_dir=tmp_path,
        home=tmp_path,
        environment={},
    )
    loaded = DefinitionSet().load(directories)
    assert [problem.message.split(":")[0] for problem in loaded.problems] == ["cannot be read"] * 2
    assert fingerprint(directories)


def test_a_file_in_the_place_of_a_directory_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (problem,) = load((tmp_path / "file", "user")).problems
    assert problem.message == "cannot be read: Not a directory"


def test_a_flood_of_files_is_bounded_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FILES", 2)
    for name in "abc":
        write(tmp_path, f"{name}.md", name)
    loaded = load((tmp_path, "user"))
    assert [placed.definition.name for placed in loaded.definitions] == ["a", "b"]
    assert loaded.problems[0].message == "contains 3 definition files; only the first 2 by name are read"


def test_loading_again_parses_only_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(data: bytes, path: str, form: Format) -> ParsedFile:
        parsed.append(Path(path).name)
        return parse_definition(data, path, form)

    monkeypatch.setattr(reading, "parse_definition", counted)
    write(tmp_path, "a.md", "a")
    write(tmp_path, "b.md", "b")
    kept, directories = DefinitionSet(), [DefinitionDirectory(tmp_path, "user")]
    assert kept.load(directories) == kept.load(directories)
    assert parsed == ["a.md", "b.md"]
    write(tmp_path, "b.md", "renamed")
    (tmp_path / "a.md").unlink()
    assert [placed.definition.name for placed in kept.load(directories).definitions] == ["renamed"]
    assert parsed == ["a.md", "b.md", "b.md"]


def test_an_unknown_name_lists_the_available_ones(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "beta")
    write(tmp_path, "a.md", "alpha")
    with pytest.raises(
        SubagentNotFound, match="no subagent is named 'gamma'; available: alpha, beta"
    ) as caught:
        find(load((tmp_path, "user")).definitions, "gamma")
    assert caught.value.data == {"subagentName": "gamma", "available": ["alpha", "beta"]}


def test_a_client_sees_where_a_definition_comes_from(tmp_path: Path) -> None:
    path = write(tmp_path, "a.md", "a", tools="[x]")
    write(tmp_path, "b.md", "b")
    one, two = (placed.info("shell") for placed in load((tmp_path, "user")).definitions)
    assert (one.runner, one.tools, one.source.path, one.source.level) == ("shell", ["x"], path, "user")
    assert (two.tools, two.source.format) == (None, None)


def place(path: Path, form: Format = formats.SIDECAR) -> DefinitionDirectory:
    path.mkdir(parents=True, exist_ok=True)
    return DefinitionDirectory(path, "workspace", form)


def test_definitions_of_different_tools_hide_each_other_by_name(tmp_path: Path) -> None:
    own, theirs = place(tmp_path / "own"), place(tmp_path / "theirs", formats.CODEX)
    first = write(own.path, "a.md", "same")
    (theirs.path / "b.toml").write_text('name="same"\ndescription="d"\ndeveloper_instructions="p"\n')
    loaded = DefinitionSet().load([own, theirs])
    assert [(placed.format.name, placed.shadowed_by) for placed in loaded.definitions] == [
        ("sidecar", None),
        ("codex", first),
    ]


def test_folders_below_are_read_where_the_tool_does_so_and_loops_are_not_followed(tmp_path: Path) -> None:
    claude, cursor = place(tmp_path / "claude", formats.CLAUDE), place(tmp_path / "cursor", formats.CURSOR)
    for directory in (claude.path, cursor.path):
        write(directory / "team", "deep.md", f"deep-{directory.name}")
        (directory / "team" / "again").symlink_to(directory)
        (directory / "loop.md").symlink_to(directory / "loop.md")
    loaded = DefinitionSet().load([claude, cursor])
    assert [placed.definition.name for placed in loaded.definitions] == ["deep-claude"]
    assert [problem.message for problem in loaded.problems] == [
        "cannot be read: Too many levels of symbolic links"
    ] * 2


def test_too_many_folders_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FOLDERS", 2)
    claude = place(tmp_path, formats.CLAUDE)
    for name in "abc":
        write(tmp_path / name, "x.md", name)
    loaded = DefinitionSet().load([claude])
    assert len(loaded.definitions) == 1
    assert loaded.problems[0].message.startswith("contains more than 2 folders")


def test_each_tool_takes_its_own_kind_of_file(tmp_path: Path) -> None:
    copilot, gemini = place(tmp_path / "one", formats.COPILOT), place(tmp_path / "two", formats.GEMINI)
    for directory in (copilot.path, gemini.path):
        for file in ("a.agent.md", "README.md", "_draft.md", "b.toml"):
            write(directory, file, file.split(".")[0])
    names = [Path(placed.path).name for placed in DefinitionSet().load([copilot, gemini]).definitions]
    assert names == ["a.agent.md", "README.md", "a.agent.md"]


def test_files_and_folders_named_by_hand_are_checked(tmp_path: Path) -> None:
    write(tmp_path / "w" / ".claude" / "agents", "a.md", "a", hooks="{}")
    (tmp_path / "b.toml").write_text("name = 4\n")
    (tmp_path / "empty").mkdir()
    found = check(
        [tmp_path / "w", tmp_path / "b.toml", tmp_path / "empty", tmp_path / "gone", Path("\0")], {}
    )
    assert [placed.definition.name for placed in found.definitions] == ["a"]
    assert [(Path(each.path).name, each.line) for each in found.problems] == [
        ("a.md", 4),
        ("b.toml", 1),
        ("empty", None),
        ("gone", None),
        ("\0", None),
    ]


def test_the_readme_of_a_repository_is_not_a_definition(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "README.md").write_text("# For people\n")
    (problem,) = check([tmp_path], {}).problems
    assert (problem.path, problem.message[:23]) == (str(tmp_path), "contains no definitions")


def test_a_fingerprint_tells_whatever_can_change_a_definition(tmp_path: Path) -> None:
    directory = DefinitionDirectory(tmp_path / "agents", "user")
    seen = [fingerprint([directory])]
    steps: list[Callable[[], object]] = [
        lambda: directory.path.mkdir(),
        lambda: write(directory.path, "a.md", "a"),
        lambda: write(directory.path, "a.md", "other"),
        lambda: (directory.path / "a.md").rename(directory.path / "b.md"),
        lambda: (directory.path / "b.md").unlink(),
    ]
    for step in steps:
        step()
        seen.append(fingerprint([directory]))
    assert len(set(seen)) == len(seen)
    assert fingerprint([directory]) == seen[-1]


def test_links_that_lead_out_of_the_workspace_are_not_read(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    write(outside, "secret.agent.md", "secret")
    inside = write(workspace / "shared", "a.md", "inside")
    own = workspace / ".sidecar" / "agents"
    own.mkdir(parents=True)
    (own / "out.md").symlink_to(outside / "secret.agent.md")
    (own / "in.md").symlink_to(inside)
    (workspace / ".github").mkdir()
    (workspace / ".github" / "agents").symlink_to(outside)
    places = definition_directories(
        [], [str(workspace)], trusted=True, config_dir=tmp_path, home=tmp_path / "home", environment={}
    )
    loaded = DefinitionSet().load(places)
    assert [placed.definition.name for placed in loaded.definitions] == ["inside"]
    assert [problem.path for problem in loaded.problems] == [
        str(own / "out.md"),
        str(workspace / ".github" / "agents"),
    ]
    assert all("leads out of the workspace" in problem.message for problem in loaded.problems)
    checked = check([workspace], {})
    assert [placed.definition.name for placed in checked.definitions] == ["inside"]
    assert checked.problems == loaded.problems


def test_a_workspace_that_is_itself_reached_by_a_link_is_read(tmp_path: Path) -> None:
    write(tmp_path / "real" / ".sidecar" / "agents", "a.md", "a")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    places = definition_directories(
        [],
        [str(tmp_path / "link")],
        trusted=True,
        config_dir=tmp_path,
        home=tmp_path / "home",
        environment={},
    )
    assert [placed.definition.name for placed in DefinitionSet().load(places).definitions] == ["a"]


def test_a_folder_behind_more_links_than_the_system_follows_stops_no_listing(tmp_path: Path) -> None:
    for number in range(1_500):
        (tmp_path / f"l{number}").symlink_to(f"l{number + 1}")
    write(tmp_path / "agents", "a.md", "here")
    found = load((tmp_path / "l0", "user"), (tmp_path / "agents", "user"))
    assert [placed.definition.name for placed in found.definitions] == ["here"]
