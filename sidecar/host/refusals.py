"""Why a shared Host refuses a request: another root, too few free files, or a version that does not fit."""

import os
import resource
from pathlib import Path
from typing import Final

from sidecar import __version__
from sidecar.host.attach.attaching import PROTOCOL
from sidecar.host.request import HostRequest

SPARE: Final = 32
"""How many descriptors stay free for the runs and requests of the clients that are attached."""


def root_refusal(request: HostRequest, root: Path) -> str | None:
    """Return the answer to a process with another root: a copy of this one, whose file names this Host too.

    The copy gets no Host of its own meanwhile, which would end unfinished runs that this Host continues.
    """
    asked = request.options.get("root")
    if asked is None or is_same(Path(asked), root):
        return None
    return (
        f"error {asked} is a copy of {root}, which its Host (pid {os.getpid()}) uses, and has the same runs; "
        f"end that Host first: `subagent-sidecar host stop --storage-root {root}`"
    )


def is_same(one: Path, other: Path) -> bool:
    """Return whether two paths are of the same root."""
    return os.path.realpath(one) == os.path.realpath(other)


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
    return request.options.get("protocol") == PROTOCOL and not (is_idle and is_older_than(request))


def is_older_than(request: HostRequest) -> bool:
    """Return whether this Host has an older version than a client."""
    return _numbers(__version__) < _numbers(request.version)


def version_refusal(request: HostRequest) -> str:
    """Return the answer to a client whose version does not fit a Host that is in use."""
    return (
        f"error version {request.version} cannot attach to the running Host (version {__version__}, "
        f"pid {os.getpid()}); close its clients and let its runs end, or use "
        "`subagent-sidecar host stop --cancel-running`"
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
