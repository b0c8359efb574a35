"""Ask the Host of a root a single question, without being a client of it."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sidecar import __version__
from sidecar.api.errors import StorageError
from sidecar.host.attach import address, attaching
from sidecar.host.attach.silence import silent

ANSWER_SECONDS = 10.0
"""How long a Host may take to answer a single question."""
PAUSE_SECONDS = 0.05


def host_status(root: Path) -> dict[str, Any] | None:
    """Return what the Host of a root says about itself; None if there is none. Raises StorageError."""
    answer = _ask(root, "status", {})
    return None if answer is None else json.loads(answer)


def stop_host(root: Path, *, cancel_running: bool) -> bool:
    """Stop the Host of a root and wait until it has ended; False if there is none.

    Raises StorageError with the Host's reason if it refuses.
    """
    options = {"cancel-running": "yes"} if cancel_running else {}
    answer = _ask(root, "stop", options, until_gone=True)
    _until_gone(root)  # also of a Host that was already ending
    return answer is not None


def _until_gone(root: Path) -> None:
    """Wait until no process holds the Host's lock of a root, so that nothing of it is left."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while attaching.is_locked(str(root)) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)


def _ask(root: Path, verb: str, options: Mapping[str, str], *, until_gone: bool = False) -> str | None:
    if not address.SUPPORTED:
        return None
    request = attaching.request_bytes(verb, __version__, {"root": str(root), **options})
    link = None
    try:
        link = attaching.ask(str(root), request, seconds=ANSWER_SECONDS)
        if link is None:
            return None
        answer = link.line()
        while until_gone and answer == "ok" and link.line() is not None:
            pass
    except TimeoutError:
        text = silent(str(root), None if link is None else link.pid)
        raise StorageError(f"{text}; see {root / address.LOG}", path=str(root), reason=text) from None
    finally:
        if link is not None:
            link.close()
    if answer is not None and answer.startswith("error "):
        raise StorageError(answer.removeprefix("error "), path=str(root), reason="refused")
    return answer
