"""Notice what files lost since they were copied, so that their former copies stay."""

import hashlib
import os
import stat
from collections.abc import Container

from sidecar.storage.kept.blob_names import raw_size
from sidecar.storage.kept.blobs import Damaged, unpacked
from sidecar.storage.kept.drafts import Content
from sidecar.storage.kept.records import KeptSession
from sidecar.storage.kept.regular import NotRegular, has_content, open_regular


def is_replaced(path: str) -> bool:
    """Return whether a path is now that of a folder, a link, a pipe or the like."""
    try:
        return not stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def is_cut(content: Content, former: str) -> bool:
    """Return whether a content is only the start of a former copy, or all of it.

    `former` is the path of the copy. False if it is damaged. Raises OSError if it cannot be read.
    """
    digest, left = hashlib.sha256(), content.size
    if not left:
        return True
    try:
        with os.fdopen(open_regular(former), "rb") as source:
            for piece in unpacked(source, raw_size(former)):
                digest.update(piece[:left])
                left -= min(left, len(piece))
                if not left:
                    break
    except (Damaged, NotRegular):
        return False
    return not left and digest.hexdigest() == content.digest


def with_lost_files(
    session: KeptSession, former: KeptSession, root: str, paths: Container[str]
) -> KeptSession:
    """Add the former copies of files in `paths` that were left out, and of other files without content.

    They may be the only copies.
    """
    copied = {file.path for file in session.files}
    originals = {f"{root}{os.sep}{file.path.replace('/', os.sep)}": file for file in former.files}
    lost = (
        file
        for path, file in originals.items()
        if file.path not in copied and (path in paths or _is_linked(root, path) or not has_content(path))
    )
    return session._replace(files=(*session.files, *lost))


def _is_linked(root: str, path: str) -> bool:
    """Return whether a file is behind a link below its root, where stores do not look."""
    return os.path.realpath(path) != os.path.realpath(root) + path.removeprefix(root)
