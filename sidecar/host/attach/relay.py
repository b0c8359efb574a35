"""`serve`: pass this process's standard input and output to the Host of a root, and wait until it is done.

The Host reads and writes the client's pipes itself, so nothing passes through this process. Imports as little
as it can: an editor waits for this start.
"""

import os
import sys

from sidecar import __version__
from sidecar.host.attach import address, attaching
from sidecar.host.attach.options import options_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_FAILED = 1
_VALUES = ("--storage-root", "--config", "--log-level")
"""The options of `serve` that take a value and that a relay understands."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5


def main(arguments: list[str]) -> int:
    """Serve one client through the Host, or in this process if the arguments or the platform ask for it."""
    options = _options(arguments)
    if options is None or not address.SUPPORTED:
        from sidecar.app.serve import main as serve_in_process

        return serve_in_process(arguments)
    return guarded(lambda: _attach(options))


def guarded(attach: "Callable[[], int]") -> int:
    """Attach with this process's standard input and output; return the exit code and print an error."""
    _open_standard_descriptors()
    try:
        return attach()
    except attaching.NoHost as error:
        _complain(str(error))
        return error.code
    except (address.NoAddress, PermissionError) as error:
        _complain(str(error))
        return _FAILED


def _open_standard_descriptors() -> None:
    """Open 0, 1 and 2 where the client left them closed, or the Host would get other files in their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _options(arguments: list[str]) -> dict[str, str] | None:
    """Return the options by name; None for options that only the full parser knows."""
    options = options_of(arguments, _VALUES)
    if options is None:
        return None
    if options.get("--log-level", "warning") not in ("debug", "info", "warning", "error"):
        return None
    for name in ("--storage-root", "--config"):
        if name in options:
            options[name] = os.path.abspath(options[name])
    return options


def _attach(options: dict[str, str]) -> int:
    root, early = options.get("--storage-root"), b""
    if root is None:
        from sidecar.host.attach.root_of_client import read_root

        found = read_root()
        if found is None:
            return _left_early(options.get("--config"))
        root, early = found
    return hand_over(root, _request_options(options), _host_options(options), early)


def hand_over(root: str, fields: dict[str, str], host_options: list[str], early: bytes = b"") -> int:
    """Pass standard input and output to the Host of a root; wait, and return the client's exit code.

    `fields` go into the request. Raises NoHost and NoAddress.
    """
    request = attaching.request_bytes("attach", __version__, {"root": root, **fields}, os.environ, early)
    from sidecar.private_memory import close_memory  # 4 ms; not every start needs it

    close_memory()  # before the Host can start agents: their commands must not find a key here
    link = _reach(root, request, host_options)
    client = os.dup(0)  # to see when it is closed, while the Host reads it
    _let_go_of_stdio()
    from sidecar.host.attach.silence import last_line  # here, since the Host serves the client by now

    return _exit_code(last_line(link, root, client))


def _left_early(config: str | None) -> int:
    """Return the exit code for a client that left without naming a root, maybe due to wrong settings."""
    from pathlib import Path

    from sidecar.app.serve import USAGE_ERROR, read_settings

    settings = read_settings(None if config is None else Path(config))
    return USAGE_ERROR if settings is None else _FAILED


def _reach(root: str, request: bytes, options: list[str]) -> attaching.HostLink:
    """Attach to the Host of a root; start it as often as that takes. Raises NoHost."""
    import time

    deadline, pause = time.monotonic() + attaching.PATIENCE_SECONDS, _FIRST_PAUSE
    for_starts = attaching.START_SECONDS  # on a busy machine, a start alone takes longer than this limit
    while True:
        knocked = time.monotonic()
        link, answer = _knock(root, request)
        deadline += time.monotonic() - knocked  # a suspended Host may have taken minutes
        if link is not None and answer == "ok":
            link.limit(None)
            return link
        if link is not None:
            link.close()
        if answer is not None and answer.startswith("exit "):
            _, code, text = answer.split(" ", 2)
            raise attaching.NoHost(text, int(code))
        if answer is not None and answer.startswith("error "):
            raise attaching.NoHost(answer.removeprefix("error "))
        if answer is None:
            began = time.monotonic()
            answer = None if attaching.start(root, options) else "busy"
            spent = min(time.monotonic() - began, for_starts)
            deadline, for_starts = deadline + spent, for_starts - spent
        if time.monotonic() >= deadline:
            raise _no_answer(root)
        if answer is not None:
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _knock(root: str, request: bytes) -> tuple[attaching.HostLink | None, str | None]:
    """Send the request once the Host answers at all; return the connection and the Host's answer.

    The request contains the client's pipes, which cannot be taken back from a suspended Host. Raises NoHost.
    """
    try:
        link, answer = _ask(root, attaching.status_request())
        if link is not None:
            link.close()
        return (None, None) if answer is None else _ask(root, request, (0, 1))
    except TimeoutError:
        raise _no_answer(root) from None


def _ask(
    root: str, request: bytes, descriptors: tuple[int, ...] = ()
) -> tuple[attaching.HostLink | None, str | None]:
    link = attaching.ask(root, request, descriptors, attaching.PATIENCE_SECONDS)
    if link is None:
        return None, None
    link.limit(attaching.QUIET_SECONDS)
    try:
        return link, link.line()
    except TimeoutError:
        from sidecar.host.attach.silence import await_answer  # here, since almost nobody needs it

        return link, await_answer(link, root)


def _no_answer(root: str) -> attaching.NoHost:
    return attaching.NoHost(
        f"the Host of {root} did not answer for {attaching.PATIENCE_SECONDS:.0f} s; "
        f"see {os.path.join(root, address.LOG)}, or use --in-process"
    )


def _request_options(options: dict[str, str]) -> dict[str, str]:
    names = {"--storage-root": "given-root", "--config": "config", "--log-level": "log-level"}
    return {names[name]: value for name, value in options.items()}


def _host_options(options: dict[str, str]) -> list[str]:
    return ["--config", options["--config"]] if "--config" in options else []


def _let_go_of_stdio() -> None:
    """Close the client's pipes here: it sees their end when the Host closes them or dies."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)


def _exit_code(line: str | None) -> int:
    """Return the exit code in the Host's last line, and print its text."""
    verb, _, rest = (line or "").partition(" ")
    code, _, text = rest.partition(" ")
    if verb != "exit" or not code.isdigit():
        return _FAILED  # the Host has died
    if text:
        _complain(text)
    return int(code)


def _complain(text: str) -> None:
    from sidecar.printable import printable

    try:
        sys.stderr.write(printable(f"subagent-sidecar: {text}\n"))
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        return  # nobody reads it
