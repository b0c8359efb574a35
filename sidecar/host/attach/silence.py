"""Wait for a Host that does not answer, for example because somebody suspended it with SIGSTOP."""

import select
import sys

from sidecar.host.attach import attaching

LEAVING_SECONDS = 1.0
"""How long a client that has closed its input waits for the Host before it asks whether the Host lives."""
_GONE = getattr(select, "POLLRDHUP", 0)
"""What to watch an input for besides its end, which the system always reports."""


def silent(root: str, pid: int | None) -> str:
    """Return a message that the Host does not answer, with the remedy."""
    who, number = (f"the Host of {root}", "PID") if pid is None else (f"the Host of {root} (pid {pid})", pid)
    return (
        f"{who} does not answer. If it is suspended, `kill -CONT {number}` continues it; "
        f"`kill -KILL {number}` ends it, and its runs are lost"
    )


def await_answer(link: attaching.HostLink, root: str) -> str | None:
    """Report that the Host is silent, and wait for its line while the client stays.

    None when the Host has closed the connection. When the client has closed its input, close the
    connection and raise NoHost.
    """
    text = silent(root, link.pid)
    sys.stderr.write(f"subagent-sidecar: waiting: {text}\n")
    sys.stderr.flush()
    link.limit(None)
    if not _readable(link, None, watched=0):
        link.close()
        raise attaching.NoHost(text)
    return link.line()


def last_line(link: attaching.HostLink, root: str, client: int) -> str | None:
    """Wait until the Host is done with a client, and return its last line.

    `client` is the client's input, which only the Host reads. Raises NoHost when the client has closed it and
    the Host does not answer.
    """
    last = None
    while True:
        if not _readable(link, None, watched=client):
            _leave(link, root)
        line = link.line()
        if line is None:
            return last
        last = line


def _leave(link: attaching.HostLink, root: str) -> None:
    """Wait for the Host's last line to a client that leaves, while the Host answers others."""
    while not _readable(link, LEAVING_SECONDS):
        asked = None
        try:
            asked = attaching.ask(root, attaching.status_request(), (), attaching.QUIET_SECONDS)
            if asked is not None:  # else the Host is ending, which closes the connection
                asked.line()
        except TimeoutError:
            raise attaching.NoHost(silent(root, link.pid)) from None
        finally:
            if asked is not None:
                asked.close()


def _readable(link: attaching.HostLink, seconds: float | None, watched: int | None = None) -> bool:
    """Wait until the Host has sent something; False after the time, or when `watched` was closed."""
    if link.has_line:
        return True
    poller = select.poll()
    poller.register(link.fileno(), select.POLLIN)
    if watched is not None:
        poller.register(watched, _GONE)
    while True:
        found = dict(poller.poll(None if seconds is None else seconds * 1000))
        if not found or link.fileno() in found:
            return bool(found)
        assert watched is not None
        if not found[watched] & select.POLLNVAL:  # some systems cannot watch a terminal
            return False
        poller.unregister(watched)
