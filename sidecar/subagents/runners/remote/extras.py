"""Send the attachments and the additional directories of a run to its node."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sidecar.subagents.equipment.attachments import MAX_BYTES, Attached, AttachedData, AttachedFile
from sidecar.subagents.runners.contract import RunnerUnavailable
from sidecar.subagents.runners.remote import workspace
from sidecar.subagents.runners.remote.git import git
from sidecar.subagents.runners.remote.job import JobAttachment, Tree

MOST_BYTES: Final = 32 * 1024 * 1024
"""The maximum size of all attachments of a run that are not in the commit of its workspace, in bytes."""
_FILE_MODES: Final = (b"100644", b"100755")


@dataclass(frozen=True)
class Extras:
    """The attachments and directories of a job, and the contents that the node lacks, by index."""

    attachments: tuple[JobAttachment, ...] = ()
    directories: tuple[str, ...] = ()
    contents: dict[int, bytes] = field(default_factory=dict, repr=False)


def check(directory: Path, directories: Sequence[Path], attachments: Sequence[Attached]) -> None:
    """Raise RunnerUnavailable for anything already known to be impossible to send. Blocking."""
    if directories:
        root = workspace.check(directory)
        for each in directories:
            _below(root, each)
    _check_size(sum(len(each.data) * 3 // 4 for each in attachments if isinstance(each, AttachedData)))


def packed_extras(tree: Tree, directories: Sequence[Path], attachments: Sequence[Attached]) -> Extras:
    """Return what is sent. Raises RunnerUnavailable, which names what cannot be. Blocking."""
    root = Path(tree.root)
    listed, contents = [], {}
    for number, each in enumerate(attachments):
        try:
            attachment, data = _packed(tree, each)
        except ValueError as error:
            raise RunnerUnavailable(f"attachments[{number}]: {error}") from None
        listed.append(attachment)
        if data is not None:
            contents[number] = data
    _check_size(sum(map(len, contents.values())))
    return Extras(tuple(listed), tuple(_below(root, each) for each in directories), contents)


def _below(root: Path, directory: Path) -> str:
    try:
        return str(directory.resolve().relative_to(root.resolve()))
    except ValueError:
        raise RunnerUnavailable(
            f"additionalDirectories: {str(directory)!r} is not in the repository {str(root)!r}, and only "
            "that can be sent to a cluster; omit it, or use placement: local"
        ) from None


def _check_size(size: int) -> None:
    if size > MOST_BYTES:
        raise RunnerUnavailable(
            f"attachments: {size >> 20} MiB is too much for a run on a cluster, which gets at most "
            f"{MOST_BYTES >> 20} MiB; commit the files, attach fewer, or use placement: local"
        )


def _packed(tree: Tree, attached: Attached) -> tuple[JobAttachment, bytes | None]:
    """Return an attachment, and its content unless that is in the commit of the workspace."""
    if isinstance(attached, AttachedData):
        return JobAttachment(mime_type=attached.mime_type), base64.b64decode(attached.data)
    path = _committed(tree, attached)
    if path is not None:
        return JobAttachment(mime_type=attached.mime_type, path=path), None
    if attached.size > MAX_BYTES:
        raise ValueError(
            f"{attached.path} is larger than {MAX_BYTES >> 20} MiB, and git does not have it; commit it, or "
            "use placement: local"
        )
    named = JobAttachment(mime_type=attached.mime_type, name=attached.path.name)
    return named, base64.b64decode(attached.read())


def _committed(tree: Tree, file: AttachedFile) -> str | None:
    """Return the path below the root of a file that the node gets with the workspace."""
    try:
        path = file.path.relative_to(Path(tree.root).resolve()).as_posix()
        path.encode()  # JSON cannot represent other names
    except ValueError:
        return None
    row = git(Path(tree.root), "ls-tree", "-z", tree.base, "--", f":(literal){path}")
    return path if row.startswith(_FILE_MODES) else None
