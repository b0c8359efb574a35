"""Find folders that are not tasks: they have no messages and no list entry."""

from collections.abc import Iterator, Mapping, Set

import msgspec

from sidecar.api.stored.doctor import Finding
from sidecar.history.doctor.folders import locks_and_leftovers, not_missing, what_is_left
from sidecar.history.doctor.remedies import finding
from sidecar.history.stores.root import Root
from sidecar.history.stores.task_folders.files import task_folder
from sidecar.history.stores.task_folders.scan import task_names


class EmptyFolders(msgspec.Struct, frozen=True):
    """The names of such folders in one root, each with its other contents."""

    left: Mapping[str, list[str]]

    def __len__(self) -> int:
        return len(self.left)

    def findings(self, root: Root) -> Iterator[Finding]:
        """Report each folder. A folder with other contents has no task id, since no request opens it."""
        for name, left in self.left.items():
            path = task_folder(root.path, name)
            if left:
                message = f"no messages and no list entry; the folder still holds {', '.join(left)}"
                yield finding("messagesGone", root.path, message, path=path)
            else:
                message = "no messages and no list entry; it is not a task and is not listed"
                yield finding("empty", root.path, message, name, path)
            for found in locks_and_leftovers(root, name, ()):
                yield msgspec.structs.replace(found, task_id=None)


def find_empty_folders(root: Root, listed: Set[str]) -> EmptyFolders:
    """Find the folders of a root that are named like tasks but appear in no list.

    Folders that have messages by now, or that a save in progress will give some, are left out.
    """
    names = sorted(name for name in task_names(root) if name not in listed)
    return EmptyFolders({name: what_is_left(root, name) for name in names if not not_missing(root, name)})
