"""Check what an agent does right: it asks, writes after permission, stops, and reports what it used.

The checks use the agent's own model, which may cost money. The prompts are plain words, so that any model
understands them.
"""

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from sidecar.api.runs.runners import CheckResult
from sidecar.subagents.runners.acp.check.trial import STOP_SECONDS, Trial, open_session, run_prompt
from sidecar.subagents.runners.acp.runner import AcpRunner

LIMIT_SECONDS = 120.0
"""The most time of one prompt."""
FILE, CONTENT = "check.txt", "checked"
WRITE = f"Create the file {FILE} with the content {CONTENT}, and nothing else. Do not ask me first."
RUN = f"Run the command `touch {FILE}` in the shell, and nothing else. Do not ask me first."
TALK = "Write the numbers from 1 to 400 in words, each on its own line. Do not use any tools."


async def check(runner: AcpRunner, limit: float = LIMIT_SECONDS) -> AsyncIterator[CheckResult]:
    """Yield the result of each check. Without a session, there are no further ones."""
    trials: list[Trial] = []
    with tempfile.TemporaryDirectory(prefix="sidecar-check-", ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        opened = await open_session(runner, _workspace(root, "open"), "ask")
        trials.append(opened)
        yield _opened(opened)
        if opened.error is not None:
            return
        for name, prompt in (("write", WRITE), ("command", RUN)):
            workspace = _workspace(root, name)
            denied = await run_prompt(runner, workspace, prompt, limit)
            trials.append(denied)
            yield _asked(name, denied, (workspace / FILE).exists())
        workspace = _workspace(root, "allowed")
        allowed = await run_prompt(runner, workspace, WRITE, limit, allows=True)
        trials.append(allowed)
        yield _written(allowed, workspace / FILE)
        yield _result("reports tokens", allowed.has_usage, "usage", "no usage")
        stopped = await run_prompt(runner, _workspace(root, "stop"), TALK, limit, stops_at_text=True)
        trials.append(stopped)
        yield _stopped(stopped)
    left = sum(len(trial.left) for trial in trials)
    yield _result("leaves no process", left == 0, f"none after {len(trials)} runs", f"{left} were left")


def _workspace(root: Path, name: str) -> Path:
    path = root / name
    path.mkdir()
    return path


def _opened(trial: Trial) -> CheckResult:
    mode = f" in mode {trial.mode}" if trial.mode else ""
    done = f"after {trial.seconds:.1f} s{mode}"
    return _result("opens a session in which it asks", trial.error is None, done, trial.error or "")


def _asked(name: str, trial: Trial, exists: bool) -> CheckResult:
    title = f"asks before a {name}"
    if exists:
        return _result(title, False, "", "it acted although the request was denied, or without asking")
    if not trial.questions:
        return CheckResult(name=title, detail=trial.error or "its model did not try")
    return _result(title, True, trial.questions[0], "")


def _written(trial: Trial, path: Path) -> CheckResult:
    title = "acts after permission"
    if not path.is_file():
        return CheckResult(
            name=title, passed=False if trial.questions else None, detail=trial.error or "no file"
        )
    is_right = path.read_text(errors="replace").strip() == CONTENT
    return _result(title, is_right, "the file has the content", "the file has other content")


def _stopped(trial: Trial) -> CheckResult:
    title = "stops on request"
    if not trial.text:
        return CheckResult(name=title, detail=trial.error or "the model sent no text")
    seconds = trial.stop_seconds or 0
    is_quick = seconds <= STOP_SECONDS
    return _result(
        title, is_quick, f"{seconds:.1f} s", f"{seconds:.1f} s, which is more than {STOP_SECONDS:.0f} s"
    )


def _result(name: str, passed: bool, good: str, bad: str) -> CheckResult:
    return CheckResult(name=name, passed=passed, detail=good if passed else bad)
