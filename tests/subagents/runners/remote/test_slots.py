"""A launch waits while the cluster has no free slot, and is notified when it may have one."""

import asyncio
from typing import Any

from sidecar.subagents.runners.remote.slots import ClusterSlots


def node(free: int, name: str = "a", **labels: str) -> dict[str, Any]:
    return {"nodeId": name, "free": free, "labels": labels}


class Slots:
    def __init__(self) -> None:
        self.changes = 0
        self.changed = asyncio.Event()
        self.nodes = [node(0)]
        self.slots = ClusterSlots(self.ask, self.note)

    async def ask(self) -> list[dict[str, Any]]:
        return self.nodes

    def note(self) -> None:
        self.changes += 1
        self.changed.set()


async def test_an_unknown_cluster_may_have_room() -> None:
    assert Slots().slots.are_free({}, 1)


async def test_only_nodes_with_the_labels_count() -> None:
    slots = Slots().slots
    slots.set([node(0, "a", gpu="no"), node(2, "b", gpu="yes")])
    assert slots.are_free({"gpu": "yes"}, 2)
    assert not slots.are_free({"gpu": "no"}, 1)
    slots.close()


async def test_slots_of_two_nodes_do_not_add_up_for_one_run() -> None:
    slots = Slots().slots
    slots.set([node(1, "a"), node(1, "b")])
    assert slots.are_free({}, 1) and not slots.are_free({}, 2)
    slots.close()


async def test_runs_on_their_way_take_slots() -> None:
    slots = Slots().slots
    slots.set([node(1)])
    with slots.taking("run", {}, 1):
        assert not slots.are_free({}, 1)
    assert slots.are_free({}, 1)
    slots.took("a", 1)
    assert not slots.are_free({}, 1)
    slots.took("a", -1)
    assert slots.are_free({}, 1)
    slots.close()


async def test_a_slot_that_another_program_frees_is_noticed() -> None:
    cluster = Slots()
    cluster.slots.set([node(0)])
    assert not cluster.slots.are_free({}, 1)
    cluster.nodes = [node(1)]
    async with asyncio.timeout(20):
        await cluster.changed.wait()
    assert cluster.slots.are_free({}, 1)
    cluster.slots.close()
