"""The command line as real processes, in a home of its own."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.process.marker import find, sweep

REPO = Path(__file__).parents[2]
SIDECAR = (sys.executable, "-m", "sidecar")
SECRET = "a-value-nobody-may-see"
RUNNERS = {
    "cat": "cat",
    "fail": "echo half; echo why >&2; exit 3",
    "wait": "echo ready; exec sleep 600",
    "secret": 'test -n "$TOKEN" && echo found',
    "events": (
        """printf '%s\\n' '{"type":"message","text":"one"}' '{"type":"message","text":"two"}'"""
        """ '{"type":"emit","name":"n","value":2}' '{"type":"result","text":"three"}'"""
    ),
}

Done = subprocess.CompletedProcess[str]
Launched = Callable[..., str]


class Cli:
    """Commands on one own root, with a definition and a runner for each of RUNNERS."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / "root"
        self.workspace = home / "workspace"
        self.env = {
            **{name: value for name, value in os.environ.items() if name != "NO_COLOR"},
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "PYTHONPATH": str(REPO),
            "SIDECAR_STORAGE_ROOT": str(self.root),
            "XDG_RUNTIME_DIR": str(home / "runtime"),
            "TERM": "xterm",
            "COLUMNS": "80",
        }
        (home / "runtime").mkdir(mode=0o700)
        self._write_settings()

    @property
    def host(self) -> int:
        """The process of the Host, which runs."""
        pid: int = self.json("host", "status")["pid"]
        return pid

    def run(self, *arguments: str, **env: str) -> Done:
        return subprocess.run(
            [*SIDECAR, *arguments],
            cwd=self.workspace,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            timeout=40,
            check=False,
        )

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def start(self, *arguments: str, **env: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*SIDECAR, *arguments],
            cwd=self.workspace,
            env={**self.env, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def shell(self, command: str) -> Done:
        """Run a bash line in which `sidecar` is the command."""
        line = f"sidecar() {{ '{sys.executable}' -m sidecar \"$@\"; }}; {command}"
        return subprocess.run(
            ["bash", "-c", line],
            cwd=self.workspace,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=40,
            check=False,
        )

    def on_terminal(self, *arguments: str, stdout: Path | None = None, **env: str) -> str:
        """Run with all three streams on a terminal, or stdout in a file; return what a person sees."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.workspace)
            if stdout is not None:
                os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT), 1)
            os.execve(sys.executable, [*SIDECAR, *arguments], {**self.env, **env})
        shown = b""
        try:
            while chunk := os.read(terminal, 1 << 16):
                shown += chunk
        except OSError:  # how Linux tells that the other end is closed
            pass
        os.close(terminal)
        os.waitpid(pid, 0)
        return shown.decode()

    def _write_settings(self) -> None:
        self.workspace.mkdir()
        config = self.home / "config" / "subagent-sidecar"
        (config / "agents").mkdir(parents=True)
        lines = []
        for name, script in RUNNERS.items():
            head = f"---\nname: {name}\ndescription: Runs {name}.\nrunner: {name}\n---\n"
            (config / "agents" / f"{name}.md").write_text(head)
            form = "events" if name == "events" else "text"
            argv = json.dumps(["sh", "-c", script])
            lines += [f"[runners.{name}]", 'type = "command"', f'format = "{form}"', f"command = {argv}"]
            lines += [f'env = {{TOKEN = "{SECRET}"}}'] if name == "secret" else []
        lines += ["[host]", "idleSeconds = 0.5"]
        (config / "config.toml").write_text("\n".join(lines) + "\n")


def ready(cli: Cli, *options: str) -> "tuple[subprocess.Popen[str], str]":
    """A launch that waits, and its id, once the run has output."""
    process = cli.start("launch", "wait", "x", "--wait", *options)
    assert process.stdout is not None
    task_id = process.stdout.readline().strip()
    with cli.start("logs", task_id, "--follow") as follower:
        assert follower.stdout is not None
        assert follower.stdout.readline() == "ready\n"
        follower.kill()
    return process, task_id


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[Cli]:
    cli = Cli(tmp_path)
    yield cli
    if (cli.root / "host.lock").exists():
        assert cli.run("host", "stop", "--cancel-running").returncode == 0
    ids = [path.name for path in cli.root.glob("tasks/*")]
    left = find(ids)
    sweep(ids, 5.0)
    assert not left, f"processes of runs are left: {left}"


@pytest.fixture
def launched(cli: Cli) -> Launched:
    """Launch and wait; return the id."""

    def launched(name: str, goal: str = "do it") -> str:
        return cli.run("launch", name, goal, "--wait").stdout.split("\n", 1)[0]

    return launched
