"""Importing what starts first must not import what is slow: a user waits for the first answer."""

import os
import subprocess
import sys

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
    assert loaded("sidecar.cli.history", "asyncio", "pygls", "hashlib", "tomllib", "rich", guide) == ""


def test_following_changes_does_not_import_watchfiles() -> None:
    """A server imports it in the thread that watches."""
    assert loaded("sidecar.history.live", "watchfiles") == ""


def test_an_import_is_noticed() -> None:
    assert loaded("sidecar.cli.history", "click", "rich") == "click"
