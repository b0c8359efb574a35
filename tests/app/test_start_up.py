"""What starting up must not import: each of these is dear, and somebody waits for the first answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_LOADED = "import sys, {module}; sys.exit(' '.join(name for name in {names!r} if name in sys.modules))"


def loaded(module: str, *names: str) -> str:
    """Those of `names` that importing `module` brings along."""
    script = _LOADED.format(module=module, names=names)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False
    )
    return done.stderr.strip()


@pytest.mark.parametrize(
    "name",
    [
        "acp",
        "click",
        "rich",
        "yaml",
        "psutil",
        "tomllib",
        "watchfiles",
        "sidecar.tools.task",
        "sidecar.subagents.definitions",
        "sidecar.subagents.runners.process.child",
    ],
)
def test_serve_starts_without(name: str) -> None:
    assert loaded("sidecar.app.serve", name) == ""


@pytest.mark.parametrize(
    "name",
    ["asyncio", "pygls", "hashlib", "tomllib", "rich", "sidecar.history.stores.task_folders.guide.extract"],
)
def test_listing_tasks_starts_without(name: str) -> None:
    assert loaded("sidecar.cli.history", name) == ""


def test_following_begins_without_what_opens_watches() -> None:
    """A server imports it in the thread that watches."""
    assert loaded("sidecar.history.live", "watchfiles") == ""


def test_the_probe_sees_what_is_imported() -> None:
    assert loaded("sidecar.cli.history", "click", "rich") == "click"


CONFIG = "[host]\nidleSeconds = 0\n"
HEAVY = (
    "asyncio",
    "json",
    "re",
    "socket",
    "pathlib",
    "dataclasses",
    "typing",
    "argparse",
    "hashlib",
    "struct",
)


def initialize(root: Path) -> bytes:
    params = {"protocolVersion": 1, "storageRoot": str(root)}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.parametrize("names_root_in_initialize", [False, True])
def test_attaching_to_a_host_loads_little(tmp_path: Path, names_root_in_initialize: bool) -> None:
    config, package, root = tmp_path / "config" / "subagent-sidecar", tmp_path / "bare", tmp_path / "root"
    for folder in (config, package, root, tmp_path / "run"):
        folder.mkdir(parents=True)
    (config / "config.toml").write_text(CONFIG)
    (package / "__main__.py").touch()
    places = {"XDG_CONFIG_HOME": tmp_path / "config", "XDG_RUNTIME_DIR": tmp_path / "run"}
    places["PYTHONPATH"] = tmp_path
    environment = {**os.environ, **{name: str(path) for name, path in places.items()}}

    def imported(*command: str, stdin: bytes = b"") -> set[str]:
        timed = [sys.executable, "-X", "importtime", "-m", *command]
        done = subprocess.run(
            timed, input=stdin, capture_output=True, env=environment, timeout=60, check=False
        )
        lines = done.stderr.decode().splitlines()
        return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}

    if names_root_in_initialize:
        loaded = imported("sidecar", "serve", stdin=initialize(root))
    else:
        loaded = imported("sidecar", "serve", "--storage-root", str(root))
    assert (root / "host.log").exists()
    assert loaded & {"sidecar.host.relay", "array"} == {"sidecar.host.relay", "array"}
    assert (loaded - imported("bare")).intersection(HEAVY) == set()
