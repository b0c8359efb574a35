"""Attachments, folders, slash commands, messages during a turn and sign-in of agents."""

import base64
from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.agents.equipped import define, equipped, received, run
from tests.e2e.conftest import Start

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]

PNG = base64.b64encode(b"\x89PNG...").decode()
IMAGES: Json = {"promptCapabilities": {"image": True, "embeddedContext": True}}


async def test_images_and_files_become_blocks_of_the_first_prompt(start: Start, home: Path) -> None:
    define(home)
    (home / "workspace" / "shot.png").write_bytes(b"\x89PNG...")
    (home / "notes.txt").write_text("notes")
    sidecar = await start(settings={"runners": {"agent": equipped(capabilities=IMAGES)}})
    attachments = [
        {"path": "shot.png"},
        {"path": str(home / "notes.txt")},
        {"data": PNG, "mimeType": "image/png"},
        {"data": base64.b64encode(b"a,b").decode(), "mimeType": "text/csv"},
    ]
    task = await run(sidecar, attachments=attachments)
    assert task["status"] == "completed"
    assert task["attachments"] == ["shot.png", "notes.txt", "image/png", "text/csv"]
    (prompt,) = (each["prompt"] for each in received(sidecar, "session/prompt"))
    _, image, link, data, resource = prompt
    assert (image["type"], image["data"], image["mimeType"]) == ("image", PNG, "image/png")
    assert link == {
        "type": "resource_link",
        "name": "notes.txt",
        "uri": (home / "notes.txt").as_uri(),
        "mimeType": "text/plain",
        "size": 5,
    }
    assert data == {"type": "image", "data": PNG, "mimeType": "image/png"}
    assert (resource["type"], resource["resource"]["text"]) == ("resource", "a,b")


async def test_an_agent_without_images_gets_a_link_to_a_file_and_refuses_data(
    start: Start, home: Path
) -> None:
    define(home)
    (home / "workspace" / "shot.png").write_bytes(b"\x89PNG...")
    sidecar = await start(settings={"runners": {"agent": equipped()}})
    assert (await run(sidecar, attachments=[{"path": "shot.png"}]))["status"] == "completed"
    assert received(sidecar, "session/prompt")[0]["prompt"][1]["type"] == "resource_link"
    task = await run(sidecar, attachments=[{"data": PNG, "mimeType": "image/png"}])
    assert task["error"].startswith(
        "attachments[0]: the agent does not support attached data of type image/png"
    )


def option(category: str, *values: str) -> Json:
    options = [{"value": value, "name": value} for value in values]
    return {"id": category, "name": category, "category": category, "type": "select"} | {
        "currentValue": values[0],
        "options": options,
    }


async def test_a_model_that_the_agent_accepts_but_does_not_take_is_named_on_the_run(
    start: Start, home: Path
) -> None:
    define(home, "model: large", "effort: high")
    options = [option("model", "small", "large"), option("thought_level", "low", "high")]
    agent = equipped(session={"configOptions": options}, keeps=["model"])
    sidecar = await start(settings={"runners": {"agent": agent}})
    task = await run(sidecar)
    assert (task["status"], task["model"], task["effort"]) == ("completed", "small", "high")
    assert task["progress"]["unmet"] == [{"kind": "model", "wanted": "large", "inForce": "small"}]
    events = (await sidecar.request("asyncTasks/events", taskId=task["id"]))["events"]
    (notice,) = [event for event in events if event["type"] == "log"]
    assert notice["text"] == "The agent ignored the model large and uses small\n"


@pytest.mark.parametrize(
    ("attachments", "problem"),
    [
        ([{}], r"attachments\[0\]: give exactly one of path and data"),
        ([{"path": "a", "data": "b"}], r"attachments\[0\]: give exactly one"),
        ([{"data": PNG}], r"attachments\[0\]: mimeType is missing"),
        ([{"data": "?", "mimeType": "image/png"}], "data is not valid Base64"),
        ([{"path": "missing"}], "path 'missing' does not exist"),
        ([{"path": "."}], "path '.' is not a file"),
        ([{"path": "../secret"}], "leads out of the working directory"),
        ([{"path": "link"}], "leads out of the working directory"),
        ([{"path": "a\0b"}], "does not exist"),
        ([{"path": "x"}] * 21, "attachments: 21 are too many"),
        ([{"data": "A" * 14_000_000, "mimeType": "image/png"}], "larger than 10 MiB"),
    ],
)
async def test_a_wrong_attachment_is_refused_by_its_index(
    start: Start, home: Path, attachments: list[Json], problem: str
) -> None:
    define(home)
    (home / "secret").write_text("x")
    (home / "workspace" / "link").symlink_to(home / "secret")
    sidecar = await start(settings={"runners": {"agent": equipped()}})
    with pytest.raises(RpcError, match=problem) as error:
        await sidecar.launch("worker", attachments=attachments)
    assert error.value.code == -32602


@pytest.mark.parametrize("can", [True, False])
async def test_further_folders_go_to_an_agent_that_supports_them(start: Start, home: Path, can: bool) -> None:
    define(home)
    folder = home / "other"
    folder.mkdir()
    capabilities: Json = {"sessionCapabilities": {"additionalDirectories": {}} if can else {}}
    sidecar = await start(settings={"runners": {"agent": equipped(capabilities=capabilities)}})
    task = await run(sidecar, additionalDirectories=[str(folder)])
    if can:
        assert received(sidecar, "session/new")[0]["additionalDirectories"] == [str(folder)]
    else:
        assert task["error"].startswith("the agent does not support additionalDirectories; omit them")


@pytest.mark.parametrize(
    ("path", "problem"), [("other", "is not an absolute path"), ("/no/such", "is not a dir")]
)
async def test_a_wrong_folder_is_refused_by_name(start: Start, home: Path, path: str, problem: str) -> None:
    define(home)
    sidecar = await start(settings={"runners": {"agent": equipped()}})
    with pytest.raises(RpcError, match=f"additionalDirectories: '{path}' {problem}") as error:
        await sidecar.launch("worker", additionalDirectories=[path])
    assert error.value.code == -32602


async def test_slash_commands_are_listed_and_come_first_in_a_prompt(start: Start, home: Path) -> None:
    define(home, body="You review.")
    commands = [{"name": "review", "description": "Reviews.", "input": {"hint": "FILE"}}, {"name": 5}]
    sidecar = await start(settings={"runners": {"agent": equipped(commands=commands)}})
    await run(sidecar, "/review a.py")
    items = (await sidecar.request("runners/list"))["items"]
    (mine,) = [each for each in items if each["name"] == "agent"]
    assert mine["commands"] == [{"name": "review", "description": "Reviews.", "hint": "FILE"}]
    await run(sidecar, "/usr/bin is a folder")
    first, second = (each["prompt"][0]["text"] for each in received(sidecar, "session/prompt"))
    assert first == "/review a.py\n\nYou review."
    assert second == "You review.\n\n/usr/bin is a folder"


@pytest.mark.parametrize("can", [True, False])
async def test_a_message_reaches_an_agent_during_its_turn_if_it_can_steer(
    start: Start, home: Path, can: bool
) -> None:
    define(home)
    sidecar = await start(settings={"runners": {"agent": equipped(waits=True, steers=can)}})
    task_id = await sidecar.launch("worker", "ready")
    await sidecar.request("asyncTasks/subscribe", taskId=task_id, afterSeq=0)
    await sidecar.until(lambda: "ready" in sidecar.text(task_id))
    answer = await sidecar.request("asyncTasks/send", taskId=task_id, text="look left")
    assert answer["delivery"] == ("now" if can else "nextTurn")
    if can:
        (task,) = await sidecar.ended(task_id)
        assert task["status"] == "completed"
        (steered,) = received(sidecar, "_session/steering")
        assert steered["prompt"] == [{"type": "text", "text": "look left"}]
        events = (await sidecar.request("asyncTasks/events", taskId=task_id))["events"]
        assert [e["text"] for e in events if e.get("role") == "user"] == ["look left"]
    else:
        await sidecar.request("asyncTasks/cancel", taskId=task_id)


async def test_a_run_that_needs_a_sign_in_says_so_and_the_runner_how(start: Start, home: Path) -> None:
    define(home)
    auth = [
        {"id": "web", "name": "In the browser"},
        {"id": "cli", "name": "In a terminal", "type": "terminal", "args": ["--login"]},
        {"id": "old", "name": "Old", "_meta": {"terminal-auth": {"command": "agent", "args": ["auth"]}}},
        {"id": "qwen", "name": "Q", "_meta": {"type": "terminal", "args": ["--key"], "env": {"A": "b"}}},
    ]
    runner = equipped(auth=auth)
    sidecar = await start(settings={"runners": {"agent": runner}})
    task = await run(sidecar)
    assert (task["status"], task["reason"], task["errorKind"]) == ("failed", "authRequired", "auth")
    items = (await sidecar.request("runners/list"))["items"]
    (mine,) = [each for each in items if each["name"] == "agent"]
    assert mine["auth"] == {
        "needed": True,
        "methods": [
            {"id": "web", "name": "In the browser"},
            {"id": "cli", "name": "In a terminal", "command": [*runner["command"], "--login"]},
            {"id": "old", "name": "Old", "command": ["agent", "auth"]},
            {"id": "qwen", "name": "Q", "command": [*runner["command"], "--key"], "env": {"A": "b"}},
        ],
        "advice": "sign in with the agent's own program, or set its key in runners.agent.env",
    }


async def test_agents_are_asked_for_what_the_wire_understands(start: Start, home: Path) -> None:
    define(home)
    sidecar = await start(settings={"runners": {"agent": equipped()}})
    await run(sidecar)
    (hello,) = received(sidecar, "initialize")
    assert hello["clientCapabilities"]["auth"] == {"terminal": True}
    assert hello["clientCapabilities"]["_meta"] == {"terminal-auth": True}
    assert hello["clientCapabilities"]["session"] == {"notices": {}, "compaction": {}}


async def test_a_sign_in_that_ended_is_reported_and_the_run_is_repeated_after_it(
    start: Start, home: Path, tmp_path: Path
) -> None:
    define(home)
    runner = equipped(auth=[], expires=True, signedIn=str(tmp_path / "signed-in"))
    sidecar = await start(settings={"runners": {"agent": runner}})
    task = await run(sidecar)
    assert (task["status"], task["reason"]) == ("failed", "authRequired")
    assert "set its key in runners.agent.env" in task["error"]
    (tmp_path / "signed-in").touch()
    again = await sidecar.request("asyncTasks/resume", taskId=task["id"])
    (task,) = await sidecar.ended(again["task"]["id"])
    assert task["status"] == "completed"
    first, second = (call["prompt"] for call in received(sidecar, "session/prompt"))
    assert second == first
