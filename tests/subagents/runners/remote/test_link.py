"""Requests to a gateway are answered, and its death is noticed by everyone who waits for it."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidecar.api.settings import FleetSettings
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.fleet_links import FleetLinks
from sidecar.subagents.runners.remote.gateway_process import GatewayGone, GatewayRefused
from sidecar.subagents.runners.remote.link import FleetLink, GatewayFailed
from sidecar.subagents.runners.remote.status import fleet_status

REPO = Path(__file__).parents[4]
FAKE = [sys.executable, str(Path(__file__).with_name("fake_gateway.py"))]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPO)}


@pytest.fixture
async def links() -> AsyncIterator[FleetLinks]:
    links = FleetLinks()
    yield links
    await links.aclose()


def link_to(links: FleetLinks, **changed: str) -> FleetLink:
    return links.link(FleetSettings(gateway=FAKE), {**ENVIRONMENT, **changed})


async def test_answers_reach_their_requests(links: FleetLinks) -> None:
    link = link_to(links)
    texts = [f"text {number} ä\n" for number in range(50)]
    assert await asyncio.gather(*(link.request("echo", 20, text=text) for text in texts)) == texts


async def test_a_refusal_says_its_kind_and_reason(links: FleetLinks) -> None:
    with pytest.raises(GatewayRefused, match="there is nothing") as refused:
        await link_to(links).request("refuse", 20)
    assert refused.value.kind == "gone"


async def test_a_dead_gateway_ends_requests_and_followers_and_another_one_starts(links: FleetLinks) -> None:
    link = link_to(links)
    gateway = await link.gateway()
    stream = gateway.listen()
    await gateway.request("follow", 20, stream=stream.number, count=3)
    with pytest.raises(GatewayGone):
        await gateway.request("die", 20)
    messages = [await asyncio.wait_for(stream.queue.get(), 20) for _ in range(4)]
    assert [message and message["after"] for message in messages] == [0, 1, 2, None]
    assert await link.request("echo", 20, text="again") == "again"
    assert await link.gateway() is not gateway


async def test_another_version_is_refused_with_the_remedy(links: FleetLinks) -> None:
    with pytest.raises(RunnerUnavailable, match=r"version 0\.0\.1 .*pip install"):
        await link_to(links, VERSION="0.0.1").gateway()


async def test_a_gateway_that_cannot_start_is_named(links: FleetLinks) -> None:
    link = links.link(FleetSettings(gateway=["/no/such/gateway"]), ENVIRONMENT)
    with pytest.raises(RunnerUnavailable, match=r"/no/such/gateway.*fleet\.gateway"):
        await link.gateway()


async def test_a_gateway_that_is_slow_to_start_is_not_started_again(
    links: FleetLinks, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "ready")
    link = link_to(links, READY=str(tmp_path / "ready"))
    with pytest.raises(GatewayFailed, match="the gateway runs but has not answered for 0 s"):
        await link.gateway(patience=0)
    starting = link._starting
    await asyncio.to_thread((tmp_path / "ready").write_text, "go")
    assert starting is not None and await link.gateway(patience=20) is await starting


async def test_equal_settings_share_a_gateway(links: FleetLinks) -> None:
    assert link_to(links) is link_to(links)
    assert link_to(links) is not links.link(FleetSettings(gateway=FAKE, namespace="other"), ENVIRONMENT)


async def test_a_status_that_may_not_connect_starts_no_gateway(links: FleetLinks) -> None:
    link = link_to(links)
    unreached = await fleet_status(link, connect=False)
    assert (unreached.configured, unreached.nodes, link.is_connected) == (True, [], False)
    reached = await fleet_status(link)
    assert [node.name for node in reached.nodes] == ["A"] and link.is_connected
    assert (await fleet_status(link, connect=False)).nodes == reached.nodes
    with pytest.raises(GatewayGone):
        await link.request("die", 20)
    assert (await fleet_status(link, connect=False)).nodes == [] and not link.is_connected


async def test_without_a_gateway_no_cluster_is_configured(links: FleetLinks) -> None:
    status = await fleet_status(links.link(FleetSettings(), ENVIRONMENT), connect=False)
    assert not status.configured


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'Could not resolve head' >&2; exit 255", "the gateway exited: Could not resolve head"),
        ("echo Welcome; cat", "the gateway printed 'Welcome', but its command must print only its messages"),
        ("echo 5; cat", "the gateway printed '5', but"),
        ("echo '{}'; cat", "the gateway printed '{}', but"),
        ("cat", "must start the gateway without a terminal"),
    ],
)
async def test_a_command_that_is_not_a_gateway_is_named_with_what_it_printed(
    links: FleetLinks, script: str, why: str
) -> None:
    link = links.link(FleetSettings(gateway=["sh", "-c", script]), ENVIRONMENT)
    with pytest.raises(RunnerUnavailable, match=f"{why}.* check fleet.gateway"):
        await link.gateway(patience=20)
