"""Whom an end concerns."""

import pytest

from sidecar.api.runs.async_tasks import Owner
from sidecar.api.settings import ReminderScope
from sidecar.subagents.reminders.scope import Audience

HERE = Owner(client="editor", workspace_dir="/here")


@pytest.mark.parametrize(
    ("client", "folders", "scope", "concerned"),
    [
        ("editor", ["/here"], "workspace", True),
        ("other", ["/here", "/more"], "workspace", True),
        ("editor", ["/there"], "workspace", False),
        ("other", [], "workspace", True),
        ("editor", ["/here"], "client", True),
        ("other", ["/here"], "client", False),
        ("editor", ["/there"], "client", False),
        ("editor", [], "client", True),
        ("other", ["/there"], "all", True),
    ],
)
def test_an_end_concerns_its_workspace_its_client_or_everybody(
    client: str, folders: list[str], scope: ReminderScope, concerned: bool
) -> None:
    audience = Audience(client, frozenset(folders))
    assert audience.is_concerned(HERE, scope) is concerned
    assert audience.is_concerned(None, scope)
