"""A release: every place that names the version names the same one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sidecar import __version__

REPO = Path(__file__).parents[1]
CHANGELOGS = ("CHANGELOG.md", "client-ts/CHANGELOG.md")


def load(path: str) -> Any:
    """Return the JSON of a file."""
    return json.loads((REPO / path).read_text())


def test_the_extension_has_the_version_of_the_sidecar() -> None:
    lock = load("client-ts/package-lock.json")
    versions = {load("client-ts/package.json")["version"], lock["version"], lock["packages"][""]["version"]}
    assert versions == {__version__}


def test_the_examples_of_the_protocol_are_of_this_version() -> None:
    text = (REPO / "scripts/protocol/examples.json").read_text()
    assert set(re.findall(r'"version": "(\d+\.\d+\.\d+)"', text)) == {__version__}


@pytest.mark.parametrize("page", CHANGELOGS)
def test_the_latest_release_of_a_changelog_is_this_version(page: str) -> None:
    headings = re.findall(r"^## (.+)$", (REPO / page).read_text(), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert re.fullmatch(rf"\[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d", headings[1])


@pytest.mark.parametrize("page", CHANGELOGS)
def test_a_changelog_groups_its_changes(page: str) -> None:
    groups = re.findall(r"^### (.+)$", (REPO / page).read_text(), re.MULTILINE)
    assert groups
    assert set(groups) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
