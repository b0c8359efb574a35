"""Notice what files lost since they were copied, so that their former copies stay."""

import os
import stat
from collections.abc import Container

from sidecar.storage.kept.blobs import open_blob, unpacked
from sidecar.storage.kept.drafts import Draft
from sidecar.storage.kept.records import KeptSession
from sidecar.storage.kept.regular import has_content


def is_replaced(path: str) -> bool:
    """Return whether a path is now that of a folder, a pipe or the like."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def is_cut(draft: Draft, former: str) -> bool:
    """Return whether a draft holds only the start of a former copy, apart from zero bytes at its end.

    `former` is the path of the copy. False if it is damaged, since it then has nothing to offer.
    """
    try:
        with os.fdopen(open_blob(former), "rb") as old, draft.temp.open("rb") as packed:
            pieces = unpacked(packed, draft.size)
            for piece in pieces:
                if piece != (same := old.read(len(piece))):
                    return same.startswith(piece.rstrip(b"\0")) and not any(
                        rest.strip(b"\0") for rest in pieces
                    )
    except OSError:
        return False
    return True


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
        if file.path not in copied and (path in paths or not has_content(path))
    )
    return session._replace(files=(*session.files, *lost))
