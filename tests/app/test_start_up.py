"""Importing what starts first must not import what is slow: a user waits for the first answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_LOADED = "import sys, {module}; sys.exit(' '.join(name for name in {names!r} if name in sys.modules))"


def loaded(module: str, *names: str) -> str:
    """Return those of `names` that importing `module` imports as well."""
    script = _LOADED.format(module=module, names=names)
    # Measuring coverage imports modules of its own.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=environment,
    )
    return done.stderr.strip()


def test_serve_imports_only_what_its_first_answer_needs() -> None:
    names = (
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
    )
    assert loaded("sidecar.app.serve", *names) == ""


def test_listing_tasks_imports_only_what_it_needs() -> None:
    guide = "sidecar.history.stores.task_folders.guide.extract"
    assert loaded("sidecar.cli.stored.listing", "asyncio", "pygls", "hashlib", "tomllib", "rich", guide) == ""


def test_listing_tasks_as_json_imports_no_other_store_and_no_types_of_runs() -> None:
    names = (
        "orjson",
        "sidecar.api.runs.async_tasks",
        "sidecar.history.stores.codex.layout",
        "sidecar.history.stores.editors",
        "sidecar.history.stores.gemini.layout",
    )
    assert loaded("sidecar.cli.stored.listing", *names) == ""


def test_following_changes_does_not_import_watchfiles() -> None:
    """A server imports it in the thread that watches."""
    assert loaded("sidecar.history.live", "watchfiles") == ""


def test_an_import_is_noticed() -> None:
    assert loaded("sidecar.cli.stored.listing", "click", "rich") == "click"


CONFIG = "[host]\nidleSeconds = 0\n"
AFTERWARDS = "sidecar.private_memory"
"""What a client imports once its Host serves it."""
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
        names = [line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")]
        attached = names.index(AFTERWARDS) if AFTERWARDS in names else len(names)
        return set(names[:attached])

    if names_root_in_initialize:
        loaded = imported("sidecar", "serve", stdin=initialize(root))
    else:
        loaded = imported("sidecar", "serve", "--storage-root", str(root))
    assert (root / "host.log").exists()
    assert loaded & {"sidecar.host.attach.relay", "array"} == {"sidecar.host.attach.relay", "array"}
    assert (loaded - imported("bare")).intersection(HEAVY) == set()
