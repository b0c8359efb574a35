"""The `command` runner: run any program that takes a prompt and prints its progress."""

import asyncio
import errno
import importlib
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.limits.constraints import RunnerOption
from sidecar.subagents.runners.contract import Emit, RunnerUnavailable, RunSpec
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler
from sidecar.subagents.runners.program_runner import ProgramRunner

if TYPE_CHECKING:
    from sidecar.subagents.runners.command.run import CommandRun

_PROMPT = "{prompt}"
_CHOICES: tuple[RunnerOption, ...] = ("model", "mode", "effort")
_FILES: tuple[RunnerOption, ...] = ("additionalDirectories", "attachments")
_UNSUPPORTED: Mapping[RunnerOption, str] = {
    "toolWhitelist": "the sidecar cannot limit what a command uses",
    **dict.fromkeys(_CHOICES, "a command chooses its model itself; pass it in the arguments of the command"),
    **dict.fromkeys(_FILES, "a command gets only its prompt; name the paths in the prompt"),
}
_PLAIN_UNSUPPORTED: Mapping[RunnerOption, str] = {
    **_UNSUPPORTED,
    "expectedOutputs": 'a command with format = "text" cannot emit them; use "events"',
    "maxTurns": 'a command with format = "text" does not report turns; use "events"',
}
_PLACEHOLDER = re.compile(r"\{(?:prompt|taskId|workspaceDir)\}")


class CommandRunner(ProgramRunner):
    """Start the argv of `runners.NAME.command`, with its placeholders filled in, for each run."""

    type = "command"
    listens = False

    def __init__(
        self,
        name: str,
        settings: RunnerSettings,
        scheduler: FairScheduler | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """`environment` is what runs inherit."""
        super().__init__(name, environment)
        self._argv = tuple(settings.command or ())
        self._env = dict(settings.env)
        self._format = settings.format
        self._scheduler = scheduler or FairScheduler()
        self._takes_argument = any(_PROMPT in argument for argument in self._argv)

    @property
    def unsupported(self) -> Mapping[RunnerOption, str]:
        """The launch options that a command does not support; one with plain output supports fewest."""
        return _UNSUPPORTED if self._format == "events" else _PLAIN_UNSUPPORTED

    def check(self) -> None:
        """Raise `RunnerUnavailable` if there is no argv or its program is not on the PATH."""
        if not self._argv or not self._argv[0]:
            raise self._unavailable(
                "the runner names no program", "set runners.{name}.command to a program and its arguments"
            )
        program = self._argv[0]
        if _depends_on_run(program):
            return
        if shutil.which(program, path={**self._inherited, **self._env}.get("PATH")) is None:
            reason = f"program {program!r} is not found or not executable"
            raise self._unavailable(reason, "install it, or correct runners.{name}.command")

    async def start(self, spec: RunSpec, emit: Emit) -> "CommandRun":
        """Start the command in the workspace directory. Raises the errors of `Runner.start`."""
        spec = replace(spec, prompt=_with_outputs(spec.prompt, spec.constraints.expected_outputs))
        self._check_start(spec)
        # The first run imports these, in a thread: the sidecar creates runners at startup but runs none.
        await asyncio.to_thread(importlib.import_module, "sidecar.subagents.runners.command.run")
        from sidecar.subagents.runners.command.output import command_output
        from sidecar.subagents.runners.command.run import CommandRun

        stdin = None if self._takes_argument else spec.prompt.encode()
        process = await self._spawn(self._fill(spec), spec, self._env, stdin=stdin)
        spec.observer.ready(silence_counts=self._format == "events")
        output = command_output(self._format)
        return CommandRun(process, output, emit, self._scheduler, tuple(spec.constraints.expected_outputs))

    def _fill(self, spec: RunSpec) -> list[str]:
        """Fill the placeholders in one pass, so that a placeholder inside the prompt stays unchanged.

        Put a line break before a prompt that the program would read as an option.
        """
        values = {_PROMPT: spec.prompt, "{taskId}": spec.task_id, "{workspaceDir}": str(spec.workspace_dir)}
        filled: list[str] = []
        for before, argument in zip(("", *self._argv), self._argv, strict=False):
            text = _PLACEHOLDER.sub(lambda match: values[match[0]], argument)
            is_option = argument.startswith(_PROMPT) and text.startswith("-") and before != "--"
            filled.append(f"\n{text}" if is_option else text)
        return filled

    def _not_started(self, program: str, error: OSError | ValueError) -> RunnerUnavailable:
        if getattr(error, "errno", None) == errno.E2BIG and self._takes_argument:
            remedy = f"leave {_PROMPT} out of runners.{{name}}.command, so that it goes to stdin"
            return self._unavailable("the prompt is too long for an argument", remedy)
        return super()._not_started(program, error)


def _with_outputs(prompt: str, outputs: Mapping[str, str]) -> str:
    """Return the prompt with a request for the outputs, as a comment line that keeps a script valid."""
    if not outputs:
        return prompt
    how = '{"type": "emit", "name": NAME, "value": VALUE}'
    described = "; ".join(f"{name}: {' '.join(text.split())}" for name, text in outputs.items())
    return f"{prompt}\n\n# Print each of these outputs as a line {how} - {' '.join(described.split())}"


def _depends_on_run(program: str) -> bool:
    """Return whether the program can be found only once the workspace is known."""
    relative = os.path.basename(program) != program and not os.path.isabs(program)  # noqa: PTH117, PTH119 (as exec does)
    return relative or _PLACEHOLDER.search(program) is not None
