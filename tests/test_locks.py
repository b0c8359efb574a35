"""The lock files: everything that is installed is named by version and by hash."""

import re
from pathlib import Path

import pytest

REPO = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-build.lock", "requirements-dev.lock", "requirements-fleet.lock")
_ENTRY = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>[^\\]+))? \\"
    r"(?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+"
)


def entries(lock: str) -> dict[str, str]:
    """Return the version of each package; a line that does not belong to one fails."""
    lines = (REPO / lock).read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    assert not _ENTRY.sub("", text).strip()
    return {found["name"]: found["version"] for found in _ENTRY.finditer(text)}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_has_a_version_and_hashes_and_no_address(lock: str) -> None:
    assert entries(lock)
    assert "://" not in (REPO / lock).read_text()


@pytest.mark.parametrize("lock", LOCKS[:2])
def test_what_runs_and_builds_is_what_was_tested(lock: str) -> None:
    assert entries(lock).items() <= entries("requirements-dev.lock").items()


def test_packages_of_other_platforms_are_locked_too() -> None:
    assert re.search(
        r"^colorama==.* ; .*sys_platform == 'win32'", (REPO / LOCKS[2]).read_text(), re.MULTILINE
    )
