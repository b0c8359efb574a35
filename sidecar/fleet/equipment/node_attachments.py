"""The attachments of one run on its node: files of its tree, and contents sent with the run."""

import base64
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from sidecar.fleet.tree.node_tree import write_piece
from sidecar.subagents.equipment.attachments import Attached, AttachedData, AttachedFile
from sidecar.subagents.runners.remote.job import JobAttachment


class NodeAttachments:
    """Contents below the folder of a run, outside of its tree, so that they are not among its changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "attachments"

    def writer(self, number: int) -> Callable[[int, bytes], None]:
        """Return a function that writes a piece of an attachment, given an offset and bytes. Blocking."""
        return partial(self._write, int(number))

    def of_job(self, listed: Sequence[JobAttachment], tree: Path) -> tuple[Attached, ...]:
        """Return the attachments for the agent; `tree` is the tree of the run. Blocking."""
        return tuple(self._attached(number, each, tree) for number, each in enumerate(listed))

    def _write(self, number: int, offset: int, data: bytes) -> None:
        self._content(number).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_piece(self._content(number), offset, data)

    def _attached(self, number: int, listed: JobAttachment, tree: Path) -> Attached:
        if listed.path is not None:
            return _file(tree / listed.path, listed)
        content = self._content(number)
        if listed.name is None:
            return AttachedData(listed.mime_type or "", base64.b64encode(content.read_bytes()).decode())
        named = content.with_name(Path(listed.name).name)
        content.rename(named)
        return _file(named, listed)

    def _content(self, number: int) -> Path:
        return self._folder / str(number) / ".content"


def _file(path: Path, listed: JobAttachment) -> AttachedFile:
    return AttachedFile(Path(os.path.realpath(path)), listed.mime_type, path.stat().st_size)
