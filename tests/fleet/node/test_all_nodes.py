"""A clean-up of a cluster names the nodes that could not be cleaned."""

from typing import Any

from sidecar.fleet.cluster import Cluster
from sidecar.fleet.leftovers.all_nodes import clean_all
from sidecar.fleet.leftovers.cleanup import CleanedUp


class ThreeNodes(Cluster):
    """A cluster with a head, a node that is frozen, one that is broken, and one that is cleaned."""

    def nodes(self) -> list[dict[str, Any]]:
        slots = {"head": 0, "frozen": 2, "broken": 2, "good": 2}
        return [{"nodeId": f"id-{name}", "name": name, "slots": count} for name, count in slots.items()]

    async def run_on(self, node_id: str, function: Any, *args: Any, limit: float) -> Any:
        if node_id == "id-frozen":
            raise TimeoutError
        if node_id == "id-broken":
            raise RuntimeError("No module named 'sidecar'")
        return CleanedUp(["run-1"], ["cache c: git update-ref: it is damaged"])


async def test_a_node_that_is_not_cleaned_is_named_with_the_reason() -> None:
    assert await clean_all(ThreeNodes(), str) == {
        "removed": ["run-1"],
        "problems": [
            "node 'frozen': it did not answer within 240 s; check it with: ray status",
            "node 'broken': No module named 'sidecar'",
            "node 'good': cache c: git update-ref: it is damaged",
        ],
    }
