"""What the agent of a run gets on its node besides its prompt, and the secrets kept out of its journal."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sidecar.fleet.equipment.node_attachments import NodeAttachments
from sidecar.subagents.equipment.equipment import Equipment
from sidecar.subagents.equipment.filling import Filling
from sidecar.subagents.equipment.secret_values import SecretFilter, SecretValues
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote.job import Job


def node_equipment(
    job: Job, environment: Mapping[str, str], tree: Path, attachments: NodeAttachments
) -> Equipment:
    """Return what the agent of a job gets in the tree of its run. Blocking.

    Raises RunnerUnavailable, which names what is missing.
    """
    filling = Filling(environment, "where Ray is started on the node")
    try:
        servers = tuple(filling.server(name, entry) for name, entry in job.servers.items())
    except ValueError as error:
        raise RunnerUnavailable(f"runner {job.runner_name!r}: mcpServers: {error}") from None
    directories = tuple(tree / each for each in job.directories)
    if missing := next((each for each in directories if not each.is_dir()), None):
        name = missing.relative_to(tree)
        raise RunnerUnavailable(
            f"additionalDirectories: git tracks no file in {str(name)!r}, so the node does not have that "
            "folder; omit it"
        )
    attached = attachments.of_job(job.attachments, tree)
    return Equipment(servers, {}, directories, attached, frozenset(filling.secrets))


class NodeSecrets:
    """Keep the values of the node's variables out of the lines of one run."""

    def __init__(self) -> None:
        self._values = SecretValues()
        self._filter = SecretFilter(self._values)

    def use(self, equipment: Equipment) -> None:
        """Keep these values out from now on."""
        self._values = equipment.secret_values
        self._filter = SecretFilter(self._values)

    def events(self, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the events to record. Holds the end of a text back if it may be the beginning of a secret."""
        return self._filter.feed(event)

    def last_events(self) -> Iterator[dict[str, Any]]:
        """Yield what was held back."""
        return self._filter.finish()

    def without(self, value: Any) -> Any:
        """Return plain data, such as a question or a result, without the values."""
        return self._values.removed_from(value)
