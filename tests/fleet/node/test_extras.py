"""Attachments and additional directories reach a node, or are refused with the reason."""

import base64
import os
import stat
from pathlib import Path

import pytest

from sidecar.api.runs.launches import Attachment
from sidecar.fleet.equipment.node_attachments import NodeAttachments
from sidecar.subagents.equipment.attachments import Attached, AttachedData, AttachedFile, check_attachments
from sidecar.subagents.runners.contract import RunnerUnavailable, RunSpec
from sidecar.subagents.runners.remote import extras, workspace
from sidecar.subagents.runners.remote.extras import MOST_BYTES, Extras, packed_extras
from sidecar.subagents.runners.remote.job import JobAttachment
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.agents import ScriptedRun
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.node.test_workspace import repository, sent

__all__ = ["repository"]

DATA = AttachedData("image/png", base64.b64encode(b"\x89PNG").decode())
MIB = 1024 * 1024


def file(path: Path) -> AttachedFile:
    return AttachedFile(path, "text/plain", path.stat().st_size)


def packed(repository: Path, *attached: Attached) -> Extras:
    return packed_extras(workspace.prepare(repository), (), attached)


def test_files_of_the_workspace_are_named_and_others_travel(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "notes.txt"
    outside.write_text("notes")
    _, node, _ = sent(repository, tmp_path / "fleet")
    files = [file(repository / "src" / "a.txt"), file(repository / "ignored"), file(outside)]
    found = packed(repository, *files, DATA)
    assert found.contents == {1: b"secret\n", 2: b"notes", 3: b"\x89PNG"}
    held = NodeAttachments(tmp_path / "run")
    for number, content in found.contents.items():
        held.writer(number)(0, content)
    there = held.of_job(found.attachments, node.path)
    paths = [each.path for each in there if isinstance(each, AttachedFile)]
    assert [each.read_text() for each in paths] == ["one, changed\n", "secret\n", "notes"]
    assert [each.name for each in paths] == ["a.txt", "ignored", "notes.txt"]
    assert there[3] == DATA
    assert there[0].mime_type == "text/plain" and not list(node.path.rglob("notes.txt"))


def test_a_file_that_pretends_to_be_a_pattern_is_not_another_file(repository: Path) -> None:
    (repository / "*").write_text("star")
    assert packed(repository, file(repository / "*")).attachments[0].path == "*"
    (repository / ".gitignore").write_text("[*]\n")
    assert packed(repository, file(repository / "*")).contents == {0: b"star"}


def test_a_directory_of_the_repository_is_named(repository: Path, tmp_path: Path) -> None:
    tree = workspace.prepare(repository / "src")
    assert packed_extras(tree, [repository, repository / "src"], ()).directories == (".", "src")
    with pytest.raises(RunnerUnavailable, match=r"is not in the repository .*; omit it, or use placement"):
        packed_extras(tree, [tmp_path], ())
    with pytest.raises(RunnerUnavailable, match="is not in the repository"):
        extras.check(repository, [tmp_path], ())


def test_what_is_too_large_is_refused_with_the_remedy(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = tmp_path / "large"
    with large.open("wb") as opened:
        opened.truncate(11 * MIB)
    with pytest.raises(
        RunnerUnavailable, match=r"attachments\[1\]: .*larger than 10 MiB.*; commit it, or use"
    ):
        packed(repository, DATA, file(large))
    data = AttachedData("image/png", "A" * (MOST_BYTES // 3))
    with pytest.raises(RunnerUnavailable, match=r"39 MiB is too much .* at most 32 MiB; commit"):
        extras.check(repository, (), [data] * 5)
    monkeypatch.setattr(extras, "MOST_BYTES", 3)
    with pytest.raises(RunnerUnavailable, match="is too much"):
        packed(repository, DATA)


def test_a_node_keeps_a_content_in_the_folder_of_its_run(tmp_path: Path) -> None:
    held = NodeAttachments(tmp_path / "run")
    held.writer(0)(0, b"x")
    (there,) = held.of_job([JobAttachment(mime_type="text/plain", name="../../escaped")], tmp_path)
    assert isinstance(there, AttachedFile)
    assert there.path == tmp_path / "run" / "attachments" / "0" / "escaped"
    assert stat.S_IMODE(os.stat(there.path.parent).st_mode) == 0o700


def test_an_agent_on_a_node_gets_attachments_once_they_are_whole(world: MakeWorld, tmp_path: Path) -> None:
    notes, empty = tmp_path / "notes.txt", tmp_path / "empty.txt"
    notes.write_text("notes " * 100)  # several pieces
    empty.write_text("")
    specs: list[RunSpec] = []
    texts: list[str] = []

    async def script(agent: ScriptedRun) -> None:
        specs.append(agent.spec)
        texts.extend(
            each.path.read_text() for each in agent.spec.attachments if isinstance(each, AttachedFile)
        )
        await agent.open()

    async def main() -> None:
        given = check_attachments([Attachment(path=str(each)) for each in (notes, empty)], tmp_path)
        here = world(script, attachments=(*given, DATA))
        assert (await (await here.launch()).result()).terminate_reason == "GOAL"
        assert texts == [notes.read_text(), ""] and specs[0].attachments[2] == DATA
        await until(here.is_clean)

    run_virtually(main)
