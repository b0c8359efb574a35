"""A policy decides requests from a node as it decides those of this machine, without links and secrets."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from sidecar.fleet.node_question import passed_on
from sidecar.subagents.equipment.secret_values import SecretValues
from sidecar.subagents.permissions import reached_files
from sidecar.subagents.permissions.policy import decide
from sidecar.subagents.permissions.question import FileChange, Question
from sidecar.subagents.permissions.scope import scope_of
from sidecar.subagents.runners.remote.run.paths import PathMap

SECRETS = SecretValues(["s3cret-value", "/data/private"])


class Machines:
    """A node with a tree, and the workspace that it is a copy of."""

    def __init__(self, folder: Path) -> None:
        self.tree, self.workspace = folder / "node" / "tree", folder / "here" / "workspace"
        self.tree.mkdir(parents=True)
        self.workspace.mkdir(parents=True)

    def here(self, kind: str, *paths: str, **members: Any) -> Question:
        """Return a request as the sidecar gets it."""
        named = tuple(each.replace("{tree}", str(self.tree)) for each in paths)
        question = Question(request_id="r", title="t", options=(), tool_kind=kind, paths=named, **members)
        line = msgspec.json.encode(passed_on(question, self.tree, SECRETS.removed_from))
        plain = msgspec.json.decode(line)
        return msgspec.convert(PathMap(str(self.tree), str(self.workspace)).here(plain), Question)

    def verdict(self, question: Question) -> str:
        return decide("allowEdits", question, self.workspace)


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def test_an_edit_in_the_tree_is_one_in_the_workspace(machines: Machines) -> None:
    (machines.tree / "inner").symlink_to("sub")
    for path in ("a.txt", "{tree}/sub/a.txt", "inner/a.txt"):
        question = machines.here("edit", path)
        assert machines.verdict(question) == "allow" and len(question.paths) == 1


def test_a_link_that_only_the_node_has_leads_out_of_the_workspace(machines: Machines) -> None:
    (machines.tree / "link").symlink_to("/etc")
    (machines.tree / "loop").symlink_to("loop")
    question = machines.here("edit", "link/passwd")
    assert question.paths == ("link/passwd", "/etc/passwd")
    assert machines.verdict(question) == "ask"
    assert machines.verdict(machines.here("edit", "a.txt", arguments={"file": "link/passwd"})) == "ask"
    assert machines.verdict(machines.here("edit", "loop/a")) == "ask"


def test_a_secret_value_hides_no_place_outside_of_the_workspace(machines: Machines) -> None:
    question = machines.here("edit", arguments={"path": "/data/private/a"})
    assert question.arguments == {"path": "/data/private/a"} and machines.verdict(question) == "ask"
    question = machines.here("edit", arguments={"target": "/data/private/a"})
    assert question.arguments == {"target": "[secret]/a"} and machines.verdict(question) == "ask"
    change = FileChange("a.txt", None, "s3cret-value")
    given = {"path": "a.txt", "content": "s3cret-value"}
    question = machines.here("edit", "a.txt", arguments=given, changes=(change,))
    assert question.changes == (FileChange("a.txt", None, "[secret]"),)
    assert machines.verdict(question) == "allow"


def test_an_always_never_covers_a_hidden_value(machines: Machines) -> None:
    shown = machines.here("execute", command="deploy", arguments={"command": "deploy"})
    assert scope_of(shown, str(machines.workspace), None) is not None
    line = "deploy s3cret-value"
    hidden = machines.here("execute", command=line, arguments={"command": line})
    assert hidden.command == "deploy [secret]"
    assert scope_of(hidden, str(machines.workspace), None) is None
    assert reached_files.inside(hidden, machines.workspace) is None
