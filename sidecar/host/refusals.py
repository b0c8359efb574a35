"""Why a shared Host does not attach a client: too few free files, or a version that does not fit."""

import os
import resource
from typing import Final

from sidecar import __version__
from sidecar.host.attach.attaching import PROTOCOL
from sidecar.host.request import HostRequest

SPARE: Final = 32
"""How many descriptors stay free for the runs and requests of the clients that are attached."""


def file_refusal() -> str | None:
    """Return the answer to a client while this process may open fewer than `SPARE` more files."""
    limit, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY or _has_spare_files(limit):
        return None
    return (
        f"error the Host (pid {os.getpid()}) can open only {limit} files, and its "
        "clients and runs already use them; close some of them, or "
        "start the Host with a higher limit (`ulimit -n`)"
    )


def _has_spare_files(limit: int) -> bool:
    try:
        return len(os.listdir("/dev/fd")) + SPARE <= limit
    except OSError:
        return False


def version_fits(request: HostRequest, *, is_idle: bool) -> bool:
    """Return whether a client can attach: an idle Host also gives way to a newer version."""
    is_older = _numbers(__version__) < _numbers(request.version)
    return request.options.get("protocol") == PROTOCOL and not (is_older and is_idle)


def version_refusal(request: HostRequest) -> str:
    """Return the answer to a client whose version does not fit a Host that is in use."""
    return (
        f"error version {request.version} cannot attach to the running Host (version {__version__}, "
        f"pid {os.getpid()}); close its clients and let its runs end, or use "
        "`subagent-sidecar host stop --cancel-running`"
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
