"""Check what an agent does right: it asks, acts after permission, stops, and reports what it used.

The checks use the agent's own model, which may cost money. The prompts are plain words, so that any model
understands them.
"""

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from sidecar.api.runs.runners import CheckResult
from sidecar.subagents.runners.acp.check.trial import Trial, open_session, run_prompt
from sidecar.subagents.runners.acp.runner import AcpRunner

LIMIT_SECONDS = 120.0
"""The most time of one prompt."""
FILE, CONTENT = "check.txt", "checked"
WRITE = f"Create the file {{path}} with the content {CONTENT}, and nothing else. Do not ask me first."
"""To be formatted with the path. The tools of some agents take whole paths only."""
RUN = f"Run the command `touch {FILE}` in the shell, and nothing else. Do not ask me first."
ASK = "Ask me with your tool for questions which color I like, Red or Blue. Then write my answer."
TALK = "Write the numbers from 1 to 400 in words, each on its own line. Do not use any tools."

OPENS, ACTS, REPORTS = "opens a session in which it asks", "acts after permission", "reports tokens"
INQUIRES, STOPS, LEAVES_NONE = "asks a person a question", "stops on request", "leaves no process"
_ASKING = {"asks before a write": WRITE, "asks before a command": RUN}
CHECKS = (OPENS, *_ASKING, ACTS, REPORTS, INQUIRES, STOPS, LEAVES_NONE)
"""The names of the checks, in order."""


async def check(
    runner: AcpRunner, limit: float = LIMIT_SECONDS, model: str | None = None
) -> AsyncIterator[CheckResult]:
    """Yield the result of each check. Without a session, later checks do not run.

    `model` is the one to use; by default it is the agent's own.
    """
    trials: list[Trial] = []

    async def run(
        workspace: Path, prompt: str, *, allows: bool = False, stops_at_text: bool = False
    ) -> Trial:
        text = prompt.format(path=workspace / FILE)
        trial = await run_prompt(
            runner, workspace, text, limit, model=model, allows=allows, stops_at_text=stops_at_text
        )
        trials.append(trial)
        return trial

    with tempfile.TemporaryDirectory(prefix="sidecar-check-", ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        trials.append(await open_session(runner, _workspace(root, "open"), "ask", model))
        yield _opened(trials[-1])
        if trials[-1].error is not None:
            return
        for number, (name, prompt) in enumerate(_ASKING.items()):
            workspace = _workspace(root, f"denied-{number}")
            yield _asked(name, await run(workspace, prompt), any(workspace.iterdir()))
        workspace = _workspace(root, "allowed")
        allowed = await run(workspace, WRITE, allows=True)
        yield _written(allowed, workspace / FILE)
        yield _result(REPORTS, allowed.has_usage, "usage", "no usage")
        yield _inquired(await run(_workspace(root, "question"), ASK))
        yield _stopped(await run(_workspace(root, "stop"), TALK, stops_at_text=True))
    left = sum(len(trial.left) for trial in trials)
    yield _result(LEAVES_NONE, left == 0, f"none after {len(trials)} runs", f"{left} were left")


def _workspace(root: Path, name: str) -> Path:
    path = root / name
    path.mkdir()
    return path


def _opened(trial: Trial) -> CheckResult:
    mode = f" in mode {trial.mode}" if trial.mode else ""
    done = f"after {trial.seconds:.1f} s{mode}"
    return _result(OPENS, trial.error is None, done, trial.error or "")


def _asked(name: str, trial: Trial, exists: bool) -> CheckResult:
    if exists:
        return _result(name, False, "", "it acted although the request was denied, or without asking")
    if not trial.questions:
        return CheckResult(name=name, detail=trial.error or "its model did not try")
    return _result(name, True, trial.questions[0], "")


def _written(trial: Trial, path: Path) -> CheckResult:
    if not path.is_file():
        passed = False if trial.questions else None
        return CheckResult(name=ACTS, passed=passed, detail=trial.error or "no file")
    if not trial.questions:
        return CheckResult(name=ACTS, detail="it acted without asking")
    is_right = path.read_text(errors="replace").strip() == CONTENT
    return _result(ACTS, is_right, "the file has the expected content", "the file has different content")


def _inquired(trial: Trial) -> CheckResult:
    if not trial.inquiries:
        return CheckResult(name=INQUIRES, detail=trial.error or "its model did not ask")
    return _result(INQUIRES, True, trial.inquiries[0], "")


def _stopped(trial: Trial) -> CheckResult:
    if not trial.text:
        return CheckResult(name=STOPS, detail=trial.error or "the model sent no text")
    if not trial.was_stopped:
        return CheckResult(name=STOPS, detail="it ended before it could be stopped")
    done = f"ended its turn, stopped after {trial.stop_seconds or 0:.1f} s"
    return _result(STOPS, trial.ended_turn is True, done, "it did not end its turn and had to be killed")


def _result(name: str, passed: bool, good: str, bad: str) -> CheckResult:
    return CheckResult(name=name, passed=passed, detail=good if passed else bad)
