"""Mode, model and effort of a run: from its definition and its launch, by the agent's own options."""

from pathlib import Path
from typing import Any

import pytest

from sidecar.rpc.errors import RpcError
from tests.e2e.agents.equipped import define, equipped, received, run
from tests.e2e.conftest import Start

pytestmark = pytest.mark.timeout(120)

Json = dict[str, Any]


def option(name: str, category: str, *values: str) -> Json:
    options = [{"value": value, "name": value} for value in values]
    return {
        "id": name,
        "name": name,
        "category": category,
        "type": "select",
        "currentValue": values[0],
        "options": options,
    }


def agent(**more: Any) -> Json:
    options = [
        option("m", "model", "small", "large"),
        option("e", "thought_level", "low", "high"),
        option("mode", "mode", "default", "plan", "auto"),
    ]
    return {"runners": {"agent": equipped(session={"configOptions": options}, **more)}}


ASK: Json = {"permissions": {"default": "ask"}}


async def test_a_definition_chooses_and_the_row_shows_what_is_in_force(start: Start, home: Path) -> None:
    define(home, "model: large", "effort: high", "mode: plan")
    sidecar = await start(settings={**agent(), **ASK})
    task = await run(sidecar)
    assert (task["status"], task["model"], task["effort"], task["mode"]) == (
        "completed",
        "large",
        "high",
        "plan",
    )
    set_options = [
        (each["configId"], each["value"]) for each in received(sidecar, "session/set_config_option")
    ]
    assert set_options == [("m", "large"), ("e", "high"), ("mode", "plan")]


async def test_a_launch_chooses_in_place_of_its_definition(start: Start, home: Path) -> None:
    define(home, "model: small", "effort: low")
    sidecar = await start(settings={**agent(), **ASK})
    task = await run(sidecar, model="large", effort="high", mode="Plan")
    assert (task["model"], task["effort"], task["mode"]) == ("large", "high", "plan")


@pytest.mark.parametrize(
    ("chosen", "error"),
    [
        ({"model": "huge"}, "the agent has no model 'huge'; use one of: small, large"),
        ({"effort": "max"}, "the agent has no effort 'max'; use one of: low, high"),
        ({"mode": "yolo"}, "the agent has no mode 'yolo'; use one of: default, plan, auto"),
    ],
)
async def test_a_value_that_the_agent_does_not_know_fails_and_names_those_it_knows(
    start: Start, home: Path, chosen: Json, error: str
) -> None:
    define(home)
    task = await run(await start(settings={**agent(), **ASK}), **chosen)
    assert (task["status"], task["error"]) == ("failed", error)


@pytest.mark.parametrize("policy", ["deny", "ask", "allowReads", "allowEdits", "allowAll"])
async def test_a_mode_that_does_not_ask_needs_allow_all(start: Start, home: Path, policy: str) -> None:
    define(home)
    task = await run(await start(settings={**agent(), "permissions": {"default": policy}}), mode="auto")
    if policy == "allowAll":
        assert (task["status"], task["mode"]) == ("completed", "auto")
    else:
        assert task["error"] == (
            "in mode 'auto' the agent may act without asking, so it needs permissions: allowAll; "
            "modes in which it asks: default, plan"
        )


async def test_an_agent_without_choices_refuses_each_by_its_name(start: Start, home: Path) -> None:
    define(home)
    sidecar = await start(settings={"runners": {"agent": equipped()}})
    assert "does not support choosing a model; remove model: x" in (await run(sidecar, model="x"))["error"]
    assert "does not support choosing an effort" in (await run(sidecar, effort="x"))["error"]
    assert "announces no modes" in (await run(sidecar, mode="x"))["error"]


async def test_an_agent_that_refuses_a_choice_fails_the_run(start: Start, home: Path) -> None:
    define(home, "mode: plan")
    task = await run(await start(settings={**agent(refuses=["mode"]), **ASK}))
    assert "is in mode 'default' and refuses mode 'plan'" in task["error"]


@pytest.mark.parametrize("name", ["model", "mode", "effort"])
async def test_a_command_refuses_a_choice_of_the_launch(start: Start, home: Path, name: str) -> None:
    sidecar = await start()
    with pytest.raises(RpcError, match=f"{name}: runner 'events' does not support it"):
        await sidecar.launch("events", **{name: "x"})
    with pytest.raises(RpcError, match=f"{name}: give 1 to 200 printable characters"):
        await sidecar.launch("events", **{name: " "})


async def test_the_list_of_runners_names_what_the_last_session_offered(start: Start, home: Path) -> None:
    define(home)
    sidecar = await start(settings={**agent(), **ASK})
    items = (await sidecar.request("runners/list"))["items"]
    assert "choices" not in next(each for each in items if each["name"] == "agent")
    await run(sidecar)
    items = (await sidecar.request("runners/list"))["items"]
    assert next(each for each in items if each["name"] == "agent")["choices"] == {
        "models": ["small", "large"],
        "modes": ["default", "plan", "auto"],
        "askingModes": ["default", "plan"],
        "efforts": ["low", "high"],
    }


async def test_an_agent_without_its_adapter_is_named_until_that_is_installed(
    start: Start, environment: dict[str, str], tmp_path: Path
) -> None:
    programs = tmp_path / "programs"
    install_program(programs / "claude")
    environment["PATH"] = str(programs)
    sidecar = await start()
    (missing,) = (await sidecar.request("runners/list"))["missingAdapters"]
    assert (missing["program"], missing["adapter"]) == ("claude", "claude-agent-acp")
    install_program(programs / missing["adapter"])
    answer = await sidecar.request("runners/list")
    assert "missingAdapters" not in answer
    assert [each["available"] for each in answer["items"] if each["name"] == missing["runner"]] == [True]


def install_program(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


HOSTILE = "\x1b[31mbig\u202e\n" + "x" * 10_000


async def test_the_row_shows_names_without_control_characters_and_cut(start: Start, home: Path) -> None:
    define(home)
    options = [option("m", "model", HOSTILE), option("e", "thought_level", HOSTILE)]
    modes = {"currentModeId": HOSTILE, "availableModes": [{"id": HOSTILE, "name": "x"}]}
    runner = equipped(session={"configOptions": options, "modes": modes})
    sidecar = await start(settings={"runners": {"agent": runner}, "permissions": {"default": "allowAll"}})
    task = await run(sidecar)
    for name in (task["model"], task["effort"], task["mode"]):
        assert name.startswith("[31mbig")
        assert len(name) == 200


@pytest.mark.parametrize("name", ["model", "effort", "mode"])
async def test_an_error_shows_offered_names_without_control_characters_and_cut(
    start: Start, home: Path, name: str
) -> None:
    define(home)
    category = {"effort": "thought_level"}.get(name, name)
    options = [option("o", category, *(f"default\x1b{number}" for number in range(30)), HOSTILE)]
    settings = {"runners": {"agent": equipped(session={"configOptions": options})}, **ASK}
    error = (await run(await start(settings=settings), **{name: "other"}))["error"]
    assert f"the agent has no {name} 'other'; use one of: default 0, default 1, " in error
    assert error.endswith("default 19 and 11 more")
