"""What claude is told when its session is opened."""

from pathlib import Path

import pytest

from sidecar.subagents.runners.acp.agents.claude import guard
from sidecar.subagents.runners.acp.agents.extras import GuardedRun


@pytest.mark.parametrize("must_ask", [True, False])
def test_settings_of_the_repository_are_left_out(tmp_path: Path, must_ask: bool) -> None:
    options = guard(GuardedRun(tmp_path, must_ask=must_ask)).meta["claudeCode"]["options"]
    assert options["settingSources"] == ["user"]
    assert ("settings" in options) is must_ask
