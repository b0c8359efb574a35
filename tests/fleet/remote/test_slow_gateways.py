"""A gateway that runs and is slow is waited for, up to a limit; who waits knows what for."""

import asyncio
import re

import pytest

from sidecar.api.settings import RunnerSettings
from sidecar.cli.fleet_waiting import patiently
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.link import GatewayFailed
from sidecar.subagents.runners.remote.runner import RemoteRunner
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.virtual_time import run_virtually
from tests.fleet.fakes.world import World
from tests.fleet.remote.test_frozen_places import short


def test_a_launch_waits_for_a_slow_gateway(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.answer_seconds, here.gateways.connect_seconds = 25, 55
        assert (await here.link.status(30))["nodes"][0]["name"] == "A"
        assert asyncio.get_running_loop().time() >= 80 and len(here.gateways.processes) == 1

    run_virtually(main)


@pytest.mark.parametrize(
    ("answer_seconds", "connect_seconds", "limit", "why"),
    [
        (
            1e6,
            0,
            30,
            "the gateway runs but has not answered for 30 s; .*fleet.gateway",
        ),
        (
            9,
            1e6,
            69,
            "the gateway did not connect to the cluster at 'auto' within 60 s; .*fleet.address",
        ),
    ],
)
def test_a_gateway_that_stays_silent_is_named_with_what_was_waited_for(
    world: MakeWorld, answer_seconds: float, connect_seconds: float, limit: float, why: str
) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.answer_seconds, here.gateways.connect_seconds = answer_seconds, connect_seconds
        with pytest.raises(GatewayFailed, match=why):
            await here.link.status(30)
        assert asyncio.get_running_loop().time() == pytest.approx(limit, abs=1)

    run_virtually(main)


def runner(here: World) -> RemoteRunner:
    settings = RunnerSettings(type="command", command=["scripted"])
    return RemoteRunner(here.agents, settings, here.settings, here.link)


def test_a_launch_is_refused_or_accepted_in_time(world: MakeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "check", lambda _: None)

    async def main() -> None:
        here, loop = world(short), asyncio.get_running_loop()
        here.gateways.answer_seconds = 7
        await runner(here).check_place(here.folder, 4)
        assert loop.time() == pytest.approx(4, abs=0.01)
        here.settings.labels = {"disk": "fast"}
        with pytest.raises(RunnerUnavailable, match="no node has the labels disk=fast"):
            await runner(here).check_place(here.folder, loop.time() + 4)
        assert loop.time() == pytest.approx(7, abs=0.1) and len(here.gateways.processes) == 1

    run_virtually(main)


def test_a_slow_git_does_not_delay_the_answer_to_a_launch(
    world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(work: object, folder: object) -> None:
        await asyncio.sleep(60)

    async def main() -> None:
        here = world(short)
        monkeypatch.setattr(asyncio, "to_thread", slow)
        await runner(here).check_place(here.folder, 4)
        assert asyncio.get_running_loop().time() == pytest.approx(4, abs=0.01)

    run_virtually(main)


@pytest.mark.parametrize(
    ("answer_seconds", "connect_seconds"), [(25, 55), (29, 0), (0, 59)], ids=["both", "answer", "connect"]
)
def test_a_run_waits_for_a_slow_gateway(
    world: MakeWorld, answer_seconds: float, connect_seconds: float
) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.answer_seconds, here.gateways.connect_seconds = answer_seconds, connect_seconds
        run = await here.launch()
        assert (await run.result()).error is None
        assert len(here.gateways.processes) == 1

    run_virtually(main)


@pytest.mark.parametrize(
    ("answer_seconds", "labels", "limit", "why"),
    [
        (1e6, {}, 31, "the gateway runs but has not answered for 30 s; .*fleet.gateway"),
        (7, {"disk": "fast"}, 8, "no node has the labels disk=fast; correct fleet.labels"),
    ],
)
def test_a_run_that_waited_for_its_gateway_fails_with_the_remedy(
    world: MakeWorld, answer_seconds: float, labels: dict[str, str], limit: float, why: str
) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.answer_seconds, here.settings.labels = answer_seconds, labels
        result = await (await here.launch()).result()
        assert result.error is not None and re.match(why, result.error)
        assert not result.is_lost and asyncio.get_running_loop().time() <= limit

    run_virtually(main)


def test_a_terminal_says_what_it_waits_for(world: MakeWorld, capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        here = world(short)
        here.gateways.answer_seconds, here.gateways.connect_seconds = 5, 5
        assert (await patiently(here.link, here.link.status(40)))["nodes"]

    run_virtually(main)
    assert capsys.readouterr().err.splitlines() == [
        "waiting for an answer of the gateway, at most 30 s …",
        "waiting for the gateway to connect to the cluster at 'auto', at most 60 s …",
    ]


def test_a_quick_answer_comes_silently(world: MakeWorld, capsys: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        here = world(short)
        assert (await patiently(here.link, here.link.status(40)))["nodes"]

    run_virtually(main)
    assert capsys.readouterr().err == ""
