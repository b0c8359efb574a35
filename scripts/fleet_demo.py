"""Show a run on a cluster: three nodes on this machine, a command as the agent, changes that come back.

`scripts/demo --fleet` starts it with the Python that has Ray.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fleet.local_cluster import local_cluster

REPO = Path(__file__).parents[1]
SIDECAR = [str(REPO / ".venv" / "bin" / "python"), "-m", "sidecar"]
TOKEN = os.urandom(24).hex()
SCRIPT = 'echo "working on $(basename "$(pwd)") of run $SUBAGENT_SIDECAR_TASK"; echo two >> numbers.txt'
CONFIG = """
[fleet]
gateway = [{python}, "-m", "sidecar.fleet.gateway"]
address = {address}
tokenPath = {token}
labels = {{ "fleet.name" = "B" }}

[runners.worker]
type = "command"
command = ["sh", "-c", {script}]
placement = "ray"

[agents]
directories = [{agents}]
"""


def main() -> None:
    """Run the demo and remove everything afterwards."""
    with tempfile.TemporaryDirectory(prefix="sidecar-demo-") as folder:
        home = Path(folder)
        environment = {
            **os.environ,
            "HOME": folder,
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
            "RAY_AUTH_TOKEN": "",
            "SIDECAR_FLEET_DIR": str(home / "fleet"),
            "XDG_CONFIG_HOME": str(home / "config"),
        }
        print("Starting a cluster: a head and two nodes, A and B …", flush=True)
        with local_cluster(Path(sys.executable), home, TOKEN) as address:
            _show(home, address, environment)


def _show(home: Path, address: str, environment: dict[str, str]) -> None:
    workspace, agents = home / "workspace", home / "agents"
    workspace.mkdir()
    agents.mkdir()
    (agents / "worker.md").write_text("---\nname: worker\ndescription: Appends.\nrunner: worker\n---\n")
    (workspace / "numbers.txt").write_text("one\n")
    _git(workspace, "init", "-q")
    _git(workspace, "add", ".")
    _git(workspace, "-c", "user.name=You", "-c", "user.email=you@localhost", "commit", "-q", "-m", "Start")
    named = {
        "python": sys.executable,
        "address": address,
        "token": str(home / "token"),
        "script": SCRIPT,
        "agents": str(agents),
    }
    config = home / "config.toml"
    config.write_text(CONFIG.format(**{name: json.dumps(value) for name, value in named.items()}))

    def sidecar(*args: str) -> str:
        print(f"\n$ subagent-sidecar {' '.join(args)}", flush=True)
        command = [*SIDECAR, *args, "--config", str(config)]
        done = subprocess.run(command, env=environment, cwd=workspace, capture_output=True, text=True)
        print(done.stdout or done.stderr, end="", flush=True)
        return done.stdout

    root = ["--storage-root", str(home / "root")]
    sidecar("fleet", "status")
    run = sidecar("launch", "worker", "append", "--wait", *root).split()[0]
    sidecar("ps", *root)
    print(f"\n$ git show --stat refs/sidecar/{run}")
    print(_git(workspace, "show", "--stat", f"refs/sidecar/{run}"))
    sidecar("host", "stop", *root)


def _git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
