"""Try the agents of this machine: start each, open a session, and report what it offers."""

import tempfile
from pathlib import Path

from sidecar.api.runs.permissions import Policy
from sidecar.api.runs.runners import AgentReport
from sidecar.subagents.runners.acp.agents.profiles import is_unverified
from sidecar.subagents.runners.acp.check.trial import open_session
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.contract import RunnerUnavailable


async def examine(runner: AcpRunner) -> AgentReport:
    """Return what an agent does when a session is opened in an empty folder. It gets no prompt."""
    try:
        runner.check()
    except RunnerUnavailable as error:
        return AgentReport(name=runner.name, opened=False, seconds=0, error=error.message)
    with tempfile.TemporaryDirectory(prefix="sidecar-doctor-", ignore_cleanup_errors=True) as folder:
        # Without a prompt an agent does nothing, so one that may not ask can be tried too.
        policy: Policy = "allowAll" if is_unverified(runner.name) else "ask"
        trial = await open_session(runner, Path(folder), policy)
    learned = runner.learned
    return AgentReport(
        name=runner.name,
        opened=trial.error is None,
        seconds=round(trial.seconds, 1),
        error=trial.error,
        mode=trial.mode,
        auth=learned.auth,
        choices=learned.choices,
        features=learned.features,
        processes_left=len(trial.left),
    )
