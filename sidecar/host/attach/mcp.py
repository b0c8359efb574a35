"""`mcp`: give this process's standard input and output to the Host, which serves the model's tools on them.

Imports as little as it can: an agent waits for this start in each of its conversations.
"""

import os

from sidecar.host.attach import address, relay
from sidecar.host.attach.options import options_of

_VALUES = ("--storage-root", "--workspace", "--config")


def main(arguments: list[str]) -> int | None:
    """Serve one agent through the Host; return None for options that the command line must handle."""
    options = _options(arguments)
    if options is None or not address.SUPPORTED:
        return None
    from sidecar.user_dirs import default_root

    root = options.get("--storage-root") or default_root()
    fields = {
        "wire": "mcp",
        "given-root": root,
        "workspace": options.get("--workspace") or os.getcwd(),
        "trust": "yes" if "--trust" in options else "no",
    }
    host_options: list[str] = []
    if "--config" in options:
        fields["config"] = options["--config"]
        host_options = ["--config", options["--config"]]
    return relay.guarded(lambda: relay.hand_over(root, fields, host_options))


def _options(arguments: list[str]) -> dict[str, str] | None:
    """Return the options by name, with absolute paths; None for options that only the full parser knows."""
    options = options_of(arguments, _VALUES, ("--trust",))
    if options is None:
        return None
    for name in _VALUES:
        if name in options:
            options[name] = os.path.abspath(options[name])
    if "--workspace" in options and not os.path.isdir(options["--workspace"]):
        return None
    return options
