"""The base class of runners that start a program. It checks each start and explains why one fails."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sidecar.api.errors import InvalidParams
from sidecar.subagents.runners.contract import RunnerUnavailable, RunSpec

if TYPE_CHECKING:
    from sidecar.subagents.runners.process.child import ChildProcess


class ProgramRunner(ABC):
    """A runner with this name; see `Runner`. Its runs inherit `environment`.

    In remedies, `{name}` stands for the name.
    """

    def __init__(self, name: str, environment: Mapping[str, str] = os.environ) -> None:
        self.name = name
        self._inherited = environment

    @abstractmethod
    def check(self) -> None:
        """Raise `RunnerUnavailable` if the program cannot be started."""

    def _check_start(self, spec: RunSpec) -> None:
        """Raise InvalidParams for a prompt that no agent can get, or `RunnerUnavailable`."""
        _check_prompt(spec.prompt)
        self.check()
        if not spec.workspace_dir.is_dir():
            reason = f"workspaceDir {str(spec.workspace_dir)!r} is not a directory"
            raise self._unavailable(reason, "create it, or use another directory")

    async def _spawn(
        self,
        argv: Sequence[str],
        spec: RunSpec,
        env: Mapping[str, str],
        *,
        stdin: bytes | None = None,
        interactive: bool = False,
    ) -> "ChildProcess":
        """Start the program of a run; the variables of the run replace those in `env`.

        Raises `RunnerUnavailable`, caused by the error of the system.
        """
        from sidecar.subagents.runners.process.child import ChildProcess  # here, to keep startup fast

        try:
            return await ChildProcess.spawn(
                argv,
                task_id=spec.task_id,
                cwd=spec.workspace_dir,
                env={**env, **spec.env},
                inherited=self._inherited,
                stdin=stdin,
                interactive=interactive,
            )
        except (OSError, ValueError) as error:
            raise self._not_started(argv[0], error) from error

    def _not_started(self, program: str, error: OSError | ValueError) -> RunnerUnavailable:
        reason = f"{program!r} cannot be started ({getattr(error, 'strerror', None) or error})"
        return self._unavailable(reason, "check the program and runners.{name}")

    def _unavailable(self, reason: str, remedy: str) -> RunnerUnavailable:
        remedy = remedy.replace("{name}", self.name)
        return RunnerUnavailable(f"runner {self.name!r}: {reason}; {remedy}")


def _check_prompt(prompt: str) -> None:
    if "\0" in prompt:
        raise InvalidParams("the prompt contains a NUL character, which cannot be sent; remove it")
    try:
        prompt.encode()
    except UnicodeEncodeError as error:
        where = f"half a surrogate pair at index {error.start}"
        raise InvalidParams(f"the prompt contains {where}; send whole characters") from error
