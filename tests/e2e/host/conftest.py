"""Clients of a shared Host, each attached through a process of its own, as editors do it."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from sidecar import __version__
from sidecar.host.attach import attaching
from sidecar.rpc.client import RpcClient
from sidecar.subagents.runners.process.marker import find, sweep
from tests.e2e.conftest import RUNNERS, Sidecar, known_ids

Json = dict[str, Any]
SERVE = (sys.executable, "-m", "sidecar", "serve")


class HostSetting:
    """One root whose Host any number of clients share."""

    def __init__(self, home: Path, environment: dict[str, str]) -> None:
        self.home = home
        self.root = home / "root"
        self.environment = environment
        self.clients: list[Sidecar] = []

    def configure(self, **groups: Json) -> None:
        """Write the settings file that the Host starts with, with the usual runners."""
        lines = []
        for name, entry in RUNNERS.items():
            lines += [f"[runners.{name}]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items())]
        for group, members in groups.items():
            lines += [f"[{group}]", *(f"{key} = {json.dumps(value)}" for key, value in members.items())]
        path = self.home / "config" / "subagent-sidecar" / "config.toml"
        path.write_text("\n".join(lines))

    async def spawn(self, *options: str, env: Json | None = None, root: Path | None = None) -> Sidecar:
        command = [*SERVE, "--storage-root", str(root or self.root), *options]
        environment = {**self.environment, **(env or {})}
        client = await RpcClient.spawn(command, env=environment, cwd=self.home, stderr="collect")
        sidecar = Sidecar(client, self.home)
        self.clients.append(sidecar)
        return sidecar

    async def attach(self, name: str = "test", *, env: Json | None = None, **more: Any) -> Sidecar:
        """Attach a client and initialize it."""
        sidecar = await self.spawn(env=env)
        sidecar.instance = (
            await sidecar.initialize(**{"clientInfo": {"name": name}, "settings": {}, **more})
        )["instanceId"]
        return sidecar

    async def command(self, *arguments: str) -> tuple[int, str, str]:
        """Run a command of the sidecar on this root; return its exit code, stdout and stderr."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "sidecar", *arguments),
            env={**self.environment, "SIDECAR_STORAGE_ROOT": str(self.root)},
            cwd=self.home / "workspace",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(50):
            out, err = await process.communicate()
        assert process.returncode is not None
        return process.returncode, out.decode(), err.decode()

    def status(self, root: Path | None = None) -> Json | None:
        """Ask the Host what it is doing; None if there is none."""
        link = attaching.ask(
            str(root or self.root), attaching.request_bytes("status", __version__, {}), (), 20
        )
        if link is None:
            return None
        answer = link.line()
        link.close()
        return None if answer is None else json.loads(answer)

    @property
    def pid(self) -> int:
        found = self.status()
        assert found is not None, "no Host is running"
        pid: int = found["pid"]
        return pid

    def processes(self) -> list[psutil.Process]:
        """Every process of a Host of a root in this home."""
        return [
            process
            for process in psutil.process_iter(["cmdline", "status"])
            if "host" in (line := process.info["cmdline"] or [])
            and any(str(self.home) in each for each in line)
            and process.info["status"] != psutil.STATUS_ZOMBIE
        ]

    async def ended(self, seconds: float = 20) -> None:
        """Wait until no Host is left."""
        async with asyncio.timeout(seconds):
            while self.processes():
                await asyncio.sleep(0.05)


@pytest.fixture
async def shared(
    home: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[HostSetting]:
    """A root without a Host; at the end its Host is stopped and no process may be left."""
    runtime = home / "runtime"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    setting = HostSetting(home, {**environment, "XDG_RUNTIME_DIR": str(runtime)})
    setting.configure(host={"idleSeconds": 0.2})
    yield setting
    for client in setting.clients:
        await client.client.close()
    for process in setting.processes():
        with contextlib.suppress(psutil.NoSuchProcess):
            process.resume()
            process.terminate()
    await setting.ended()
    left = find(known_ids(home))
    if left:
        await asyncio.to_thread(sweep, known_ids(home), 5.0)
    assert not left, f"processes of runs are left: {left}"
