import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.history.conftest import NOW, TASK_ID, Store

Make = Callable[..., dict[str, Any]]
CLINE_ID = "1770000000000"


def environment(*sections: str) -> str:
    return "\n".join(
        ["<environment_details>", "# VSCode Visible Files", "a.py", "", *sections, "</environment_details>"]
    )


def mode(slug: str, name: str, model: str = "m") -> str:
    return f"# Current Mode\n<slug>{slug}</slug>\n<name>{name}</name>\n<model>{model}</model>\n"


def test_the_newest_environment_block_has_the_mode_and_the_model(store: Store, user: Make) -> None:
    old, new = environment(mode("ask", "Ask", "m1")), environment(mode("code", "💻 Code", "m2"))
    store.write(ui=[], api=[user("x", old), user("y", new), user("no block")])
    task = store.task()
    assert (task.mode.current, task.mode.name, task.model) == ("code", "💻 Code", "m2")


@pytest.mark.parametrize("around", ["{} and more", "see {}", "File a.py\n{}"])
def test_the_same_words_in_a_file_are_not_an_environment(store: Store, user: Make, around: str) -> None:
    decoy = around.format(environment(mode("decoy", "Decoy"), "# Current Workspace Directory (/decoy) Files"))
    real = environment(mode("code", "Code"), "# Current Workspace Directory (/real) Files\n")
    store.write(ui=[], api=[user(decoy), user("x", real), user(decoy)])
    task = store.task()
    assert (task.mode.current, task.workspace_dir) == ("code", "/real")


def test_what_the_assistant_writes_is_not_an_environment(store: Store, say: Make) -> None:
    store.write(
        ui=[say("text", "x")], api=[{"role": "assistant", "content": environment(mode("decoy", "Decoy"))}]
    )
    assert store.task().mode.current is None


def test_a_recorded_mode_wins_and_takes_its_name_from_the_blocks(store: Store, user: Make) -> None:
    blocks = [environment(mode("ask", "Ask")), environment(mode("code", "Code"))]
    entry = {"id": TASK_ID, "ts": NOW, "mode": "ask"}
    store.write(ui=[], api=[user("x", block) for block in blocks], history_item=entry)
    assert (store.task().mode.current, store.task().mode.name) == ("ask", "Ask")


@pytest.mark.parametrize(
    ("line", "slug", "name"), [("ACT MODE", "act", "Act"), ("PLAN MODE\nPlan.", "plan", "Plan")]
)
def test_cline_names_its_mode_on_a_line(store: Store, user: Make, line: str, slug: str, name: str) -> None:
    store.write(ui=[], api=[user("x", environment(f"# Current Mode\n{line}"))], task_id=CLINE_ID)
    task = store.task(CLINE_ID)
    assert (task.mode.current, task.mode.name) == (slug, name)


def test_clines_notes_have_the_mode_and_the_model(store: Store, say: Make) -> None:
    info = {"providerId": "p", "modelId": "m9", "mode": "plan"}
    store.write(ui=[say("task", "x", modelInfo=info)], api=[], task_id=CLINE_ID)
    task = store.task(CLINE_ID)
    assert (task.mode.current, task.mode.name, task.model, task.product) == ("plan", "Plan", "m9", "cline")


def test_clines_metadata_is_the_last_resort(store: Store, say: Make) -> None:
    metadata = {"model_usage": [{"model_id": "m1", "mode": "act"}, {"model_id": "m2", "mode": "plan"}]}
    store.write(ui=[say("text", "x")], api=[], task_id=CLINE_ID, task_metadata=metadata)
    task = store.task(CLINE_ID)
    assert (task.mode.current, task.model) == ("plan", "m2")


@pytest.mark.parametrize("heading", ["Current Workspace Directory", "Current Working Directory"])
@pytest.mark.parametrize("path", ["/a b", "c:/Program Files (x86)/V", "//wsl/ü (copy) Files"])
def test_a_workspace_ends_where_its_line_does(store: Store, user: Make, heading: str, path: str) -> None:
    block = environment(f"# {heading} ({path}) Files\nsrc/a.py")
    later = environment("# Current Working Directory (/later) Files")
    store.write(ui=[], api=[user("x", block), user("y", later)])
    assert store.task().workspace_dir == path


def test_the_primary_of_several_folders_is_looked_up(store: Store, user: Make) -> None:
    folders = json.dumps({"workspaces": {"/w/one": {"hint": "one"}, "/w/two": {"hint": "two"}}}, indent=2)
    heading = "# Current Working Directory (Primary: two) Files"
    block = environment(heading, "", f"# Workspace Configuration\n{folders}")
    store.write(ui=[], api=[user("x", block)], task_id=CLINE_ID)
    assert store.task(CLINE_ID).workspace_dir == "/w/two"


def test_requests_kept_in_the_ui_file_replace_the_api_file(store: Store, say: Make) -> None:
    block = environment("# Current Working Directory (/w) Files", "", "# Current Mode\nACT MODE")
    request = say("api_req_started", json.dumps({"request": f"<task>\nx\n</task>\n\n{block}", "tokensIn": 1}))
    store.write(ui=[say("text", "x"), request], task_id=CLINE_ID)
    task = store.task(CLINE_ID)
    assert (task.workspace_dir, task.mode.current) == ("/w", "act")


def test_clines_shared_list_is_read(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[], task_id=CLINE_ID)
    entry = {"id": CLINE_ID, "cwdOnTaskInitialization": "/w", "isFavorited": True, "modelId": "m"}
    (store.path / "state").mkdir()
    (store.path / "state" / "taskHistory.json").write_text(json.dumps([entry]))
    task = store.task(CLINE_ID)
    assert (task.workspace_dir, task.favorite, task.model) == ("/w", True, "m")


def test_the_index_is_only_a_hint(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "real")], api=[])
    entry = {"id": TASK_ID, "task": "stale", "workspace": "/w", "mode": "code", "status": "completed"}
    (store.path / "tasks" / "_index.json").write_text(json.dumps({"version": 1, "entries": [entry]}))
    task = store.task()
    assert (task.title, task.workspace_dir, task.mode.current, task.status) == (
        "real",
        "/w",
        "code",
        "active",
    )


def test_relatives_come_from_the_list_entry(store: Store, say: Make) -> None:
    entry = {"id": TASK_ID, "parentTaskId": "p", "rootTaskId": "r", "childIds": ["c", 5]}
    store.write(ui=[say("text", "x")], api=[], history_item=entry)
    task = store.task()
    assert (task.parent_id, task.root_id, task.child_ids) == ("p", "r", ["c"])


def test_every_value_of_a_task_says_where_it_was_read(store: Store, say: Make) -> None:
    entry = {
        "parentTaskId": "p",
        "rootTaskId": "r",
        "childIds": ["c"],
        "isFavorited": True,
        "workspace": "/w",
        "mode": "code",
    }
    usage = json.dumps({"tokensIn": 1, "tokensOut": 2, "cost": 0.5})
    store.write(ui=[say("text", "x"), say("api_req_started", usage)], api=[], history_item=entry)
    task, provenance = store.history.get(TASK_ID)
    reported = msgspec.to_builtins(task).keys() - {"id", "root", "problems"}
    assert reported <= provenance.keys() <= reported | {"cost"}
    assert provenance["childIds"].source == "history_item.json"
    assert provenance["duration"].source == "createdAt and lastActivity"
