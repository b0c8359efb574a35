"""A shared Host in a home of its own, with definitions for the benchmarks."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.processes import SIDECAR, environment
from sidecar.rpc.client import RpcClient

_STOP_SECONDS: Final = 30


@dataclass(frozen=True)
class SharedHost:
    """Where the Host of a benchmark is, and how its clients start."""

    root: Path
    workspace: Path
    variables: Mapping[str, str]

    @property
    def serve(self) -> tuple[str, ...]:
        """The command of a client."""
        return (*SIDECAR, "serve", "--storage-root", str(self.root))

    async def client(self) -> RpcClient:
        """Start a client, whose `initialize` is answered when this returns."""
        client = await RpcClient.spawn(self.serve, env=self.variables)
        await client.request("initialize", self.opening)
        return client

    @property
    def opening(self) -> dict[str, Any]:
        """The parameters of `initialize`."""
        return {
            "protocolVersion": 1,
            "workspaceFolders": [str(self.workspace)],
            "workspaceTrusted": True,
            "answersQuestions": False,
        }

    def pid(self) -> int:
        """The process of the Host, which must run."""
        command = (*SIDECAR, "host", "status", "--json", "--storage-root", str(self.root))
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=self.variables)
        return int(json.loads(done.stdout)["pid"])


@contextmanager
def shared_host(settings: str, **runners: list[str]) -> Iterator[SharedHost]:
    """Prepare a Host, which its first client starts, and stop it at the end.

    `settings` is TOML. Each of `runners` is the command of a definition with that name.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        agents = home / "workspace" / ".sidecar" / "agents"
        config = home / "config" / "subagent-sidecar"
        for path in (agents, config, home / "runtime"):
            path.mkdir(parents=True, mode=0o700)
        for name, command in runners.items():
            (agents / f"{name}.md").write_text(f"---\nname: {name}\ndescription: x.\nrunner: {name}\n---\n")
            settings += f'\n[runners.{name}]\ntype = "command"\nformat = "events"\n'
            settings += f"command = {json.dumps(command)}\n"
        (config / "config.toml").write_text(settings)
        places = {
            "XDG_CONFIG_HOME": "config",
            "XDG_RUNTIME_DIR": "runtime",
            "SIDECAR_CACHE_DIR": "cache",
        }
        variables = environment() | {name: os.fspath(home / place) for name, place in places.items()}
        host = SharedHost(home / "root", home / "workspace", variables)
        try:
            yield host
        finally:
            stop = (*SIDECAR, "host", "stop", "--cancel-running", "--storage-root", str(host.root))
            subprocess.run(stop, env=variables, timeout=_STOP_SECONDS, check=True)
