"""Find the session that an agent keeps in its own store, whether or not that store is listed."""

from collections.abc import Iterator, Sequence

from sidecar.api.errors import SidecarError
from sidecar.api.stored.tasks import SubtreeUsage, TokenUsage
from sidecar.history.stores.contract import Store
from sidecar.history.stores.editors import Machine
from sidecar.history.stores.registry import FAMILIES, describe_root, open_store
from sidecar.history.stores.task_folders.family import TASK_FOLDERS
from sidecar.history.task_history import TaskHistory


def session_usage(
    session_id: str, histories: Sequence[TaskHistory], machine: Machine, now: int
) -> TokenUsage | SubtreeUsage | None:
    """Return what a session used, together with its child sessions if its store is listed.

    Returns None if no store has it. `machine` is what the agent's environment names; `now` is in ms.
    """
    for history in histories:
        try:
            root, name = history.resolve(session_id)
            if name != session_id:
                continue
            usage = history.get(name, root.path)[0].token_usage
        except SidecarError:
            continue
        return usage.with_children or usage if usage is not None else None
    for store in _stores(machine):
        if store.existing([session_id]) and (opened := store.open(session_id, now)) is not None:
            return opened.info.token_usage
    return None


def _stores(machine: Machine) -> Iterator[Store]:
    """Open the stores of agents in their usual places."""
    for family in FAMILIES:
        if family is not TASK_FOLDERS:
            for place in family.places(machine):
                if family.recognizes(str(place.path)):
                    yield open_store(describe_root(place.path))
