"""What starting up must not import: each of these is dear, and somebody waits for the first answer."""

import subprocess
import sys

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
