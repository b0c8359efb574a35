"""Find the Host of a root, or start one, and send it a request."""

import os
import sys
from array import array
from collections.abc import Mapping, Sequence

from sidecar import __version__
from sidecar.host.attach.address import FENCE, LOCK, LOG, SUPPORTED, known_sockets

if SUPPORTED:
    # Rather than `socket`, whose import takes as long as the rest of a client's start.
    from _socket import AF_UNIX, SCM_RIGHTS, SO_SNDTIMEO, SOCK_STREAM, SOL_SOCKET, socket

PATIENCE_SECONDS = 30.0
"""How long a client tries to reach a Host while other clients start, replace or stop it."""
START_SECONDS = 120.0
"""How long a new Host may take to recover what a killed one left."""
QUIET_SECONDS = 5.0
"""How long a Host may be silent before the user is notified."""
PROTOCOL = "1"
"""The version of what clients and the Host say to each other, JSON-RPC included."""
_READY = b"ready"
_BUSY = b"busy"
_CHUNK = 64 * 1024


class NoHost(Exception):
    """No Host can be reached or started; the text says why and what to do."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


class HostLink:
    """A connection to the Host on which a request was sent. Close it when done."""

    def __init__(self, wire: "socket") -> None:
        self._wire = wire
        self._received = b""

    def line(self) -> str | None:
        """Wait for the Host's next line; None when the Host has closed the connection."""
        while b"\n" not in self._received:
            try:
                chunk = self._wire.recv(_CHUNK)
            except TimeoutError:
                raise
            except OSError:
                chunk = b""
            if not chunk:
                return None
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        return line.decode("utf-8", "replace")

    def limit(self, seconds: float | None) -> None:
        """Let `line` wait no longer than this from now on; None for no limit."""
        self._wire.settimeout(seconds)

    @property
    def has_line(self) -> bool:
        """Whether `line` returns without waiting."""
        return b"\n" in self._received

    @property
    def pid(self) -> int | None:
        """The process of the Host; None where the system does not say."""
        return _peer_process(self._wire)

    def fileno(self) -> int:
        """Return the descriptor of the connection, which is readable when the Host has sent something."""
        return self._wire.fileno()

    def close(self) -> None:
        """Close the connection, which ends what the request began."""
        self._wire.close()


def ask(
    root: str, request: bytes, descriptors: Sequence[int] = (), seconds: float | None = None
) -> HostLink | None:
    """Send a request to the Host of this root, with file descriptors; None if there is no Host.

    `seconds` limits each wait, which then raises TimeoutError. Raises PermissionError when another user
    listens there.
    """
    for path in known_sockets(root):
        wire = socket(AF_UNIX, SOCK_STREAM)
        try:
            _limit_sending(wire, seconds)
            if not _connect(wire, path):
                wire.close()
                continue
            wire.settimeout(seconds)
            _require_own(wire, path)
            _send(wire, request, descriptors)
        except (PermissionError, TimeoutError):
            wire.close()
            raise
        except OSError:
            wire.close()
            continue
        return HostLink(wire)
    return None


def is_locked(root: str) -> bool:
    """Return whether a Host holds its locks in the root, whether or not it listens."""
    return any(_is_held(os.path.join(root, name)) for name in (LOCK, FENCE))


def _is_held(path: str) -> bool:
    import fcntl

    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def request_bytes(
    verb: str,
    version: str,
    options: Mapping[str, str],
    environment: Mapping[str, str] | None = None,
    early: bytes = b"",
) -> bytes:
    """Return a request that `request.decode` reads."""
    fields = {"verb": verb, "version": version, "protocol": PROTOCOL, **options}
    fields.update(("env." + name, value) for name, value in (environment or {}).items())
    body = "\0".join([f"{name}={value}" for name, value in fields.items()]).encode("utf-8", "surrogateescape")
    return b"%d %d\n%b%b" % (len(body), len(early), body, early)


def status_request() -> bytes:
    """Return the request for a Host's status, which every version answers at once."""
    return request_bytes("status", __version__, {})


def start(root: str, options: Sequence[str]) -> bool:
    """Start a Host for this root and wait until it listens; False if another one is starting or running.

    `options` are those of `host run`. Raises NoHost with the Host's own words.
    """
    from signal import SIGCHLD  # here, since an attaching client does not need it

    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    command = [sys.executable, *_flags(), "-m", "sidecar", "host", "run"]
    command += ["--storage-root", root, "--ready-fd", str(writing), *options]
    try:
        child = os.posix_spawn(sys.executable, command, os.environ, setsigmask=(), setsigdef=(SIGCHLD,))
    except OSError as error:
        os.close(reading)
        raise NoHost(f"the Host cannot be started ({error.strerror or error}); use --in-process") from None
    finally:
        os.close(writing)
    try:
        _wait(child)  # it has started its own child by then
        answer = _read_all(reading, root)
    finally:
        os.close(reading)
    if answer == _BUSY:
        return False
    if answer == _READY:
        return True
    why = answer.decode("utf-8", "replace").strip() or "it exited before it accepted connections"
    raise NoHost(f"the Host of {root} cannot be started: {why}")


def _wait(child: int) -> None:
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        return  # the client ignores SIGCHLD, so its children leave no exit status


def _flags() -> list[str]:
    return ["-I"] if sys.flags.isolated else ["-P"] if sys.flags.safe_path else []


def _read_all(descriptor: int, root: str) -> bytes:
    """Read what a new Host reports. Raises NoHost if it takes too long, as on a file system that hangs."""
    from select import select

    read = b""
    while select([descriptor], (), (), START_SECONDS)[0]:
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            return read
        read += chunk
    raise NoHost(
        f"the Host of {root} did not start within {START_SECONDS:.0f} s; see {os.path.join(root, LOG)}, "
        "or use --in-process"
    )


def _connect(wire: "socket", path: str) -> bool:
    """Connect; return False for a path that this user cannot reach. Raises OSError otherwise.

    Raises TimeoutError when a suspended Host has a full queue.
    """
    try:
        wire.connect(path)
    except PermissionError:
        return False
    except BlockingIOError:
        raise TimeoutError(f"nobody accepts connections at {path}") from None
    return True


def _limit_sending(wire: "socket", seconds: float | None) -> None:
    """Let the system wait no longer than this for room in the queue of a socket; None for no limit."""
    if seconds is not None:
        wire.setsockopt(SOL_SOCKET, SO_SNDTIMEO, array("l", [int(seconds), int(seconds % 1 * 1e6)]))


def _send(wire: "socket", request: bytes, descriptors: Sequence[int]) -> None:
    sent = 0
    if descriptors:
        sent = wire.sendmsg([request], [(SOL_SOCKET, SCM_RIGHTS, array("i", descriptors))])
    if sent < len(request):  # sending nothing to a Host that has already answered and closed is an error
        wire.sendall(memoryview(request)[sent:])


def _require_own(wire: "socket", path: str) -> None:
    user = peer_user(wire)
    if user is not None and user != os.getuid():
        raise PermissionError(
            1, f"{path} belongs to another user (uid {user}); remove it or use --in-process"
        )


def peer_user(wire: "socket") -> int | None:
    """Return the user at the other end of a Unix socket; None where the system does not say."""
    if sys.platform == "linux":
        from _socket import SO_PEERCRED

        return array("i", wire.getsockopt(SOL_SOCKET, SO_PEERCRED, 12))[1]  # pid, uid, gid
    if sys.platform == "darwin":
        # struct xucred of sys/ucred.h; LOCAL_PEERCRED is 1, at level SOL_LOCAL, which is 0.
        return array("I", wire.getsockopt(0, 1, 76)[:8])[1]
    return None


def _peer_process(wire: "socket") -> int | None:
    """Return the process at the other end of a Unix socket; None where the system does not say."""
    if sys.platform == "linux":
        from _socket import SO_PEERCRED

        return array("i", wire.getsockopt(SOL_SOCKET, SO_PEERCRED, 12))[0] or None  # 0: in another container
    if sys.platform == "darwin":
        return array("i", wire.getsockopt(0, 2, 4))[0] or None  # LOCAL_PEERPID
    return None
