"""The `builtin` runner. It starts the agent that comes with the sidecar over ACP, like any other agent."""

import importlib.util
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.acp.agents.extras import Extras
from sidecar.subagents.runners.acp.agents.profiles import Profile
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.acp.setup.learned import Learned
from sidecar.subagents.runners.acp.start_gate import StartGate
from sidecar.subagents.runners.builtin_settings import (
    TRUSTED,
    BuiltinSettings,
    SettingsError,
    has_key,
    read_settings,
    required_model,
)
from sidecar.subagents.runners.contract import Emit, RunnerUnavailable, RunSpec
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler
from sidecar.subagents.runners.process.module_command import module_command

if TYPE_CHECKING:
    from sidecar.subagents.runners.acp.restart import RestartableRun

NAME = "builtin"


class BuiltinRunner(AcpRunner):
    """Start the built-in agent for each run, with the model that the environment names."""

    type = "builtin"
    keeps_sessions = False

    def __init__(
        self,
        name: str,
        settings: RunnerSettings,
        scheduler: FairScheduler | None = None,
        environment: Mapping[str, str] = os.environ,
        gate: StartGate | None = None,
        learned: Learned | None = None,
    ) -> None:
        command = module_command("sidecar.subagents.runners.builtin")
        profile = Profile(
            command,
            "check the key of its model",
            model_flag="--model",
            counts_answers=True,
            trust=Extras(env={TRUSTED: "1"}),  # lets the agent read the workspace's rules files
        )
        super().__init__(name, settings, scheduler, profile, environment, gate, learned)
        self._has_command = settings.command is not None

    def check(self) -> None:
        """Raise `RunnerUnavailable` if the library is not installed or the provider or key is not set.

        The model is optional here because each definition can name its own.
        """
        self._settings(None)

    def check_with_model(self) -> None:
        """Check as `check` does, and raise `RunnerUnavailable` if the environment names no default model."""
        self._require_model(self._settings(None))

    @property
    def is_configured(self) -> bool:
        """Whether the library is installed and a key is set, so that the runner belongs in the list."""
        return _has_library() and has_key({**self._inherited, **self._env})

    async def start(self, spec: RunSpec, emit: Emit) -> "RestartableRun":
        """Start the agent. Raises what `Runner.start` raises."""
        self._require_model(self._settings(spec))
        return await super().start(spec, emit)

    def _settings(self, spec: RunSpec | None) -> BuiltinSettings:
        if self._has_command:
            raise self._unavailable(
                "a builtin runner takes no command", f"remove runners.{self.name}.command"
            )
        if not _has_library():
            remedy = 'pip install "subagent-sidecar[builtin]"'
            raise self._unavailable("the library pydantic-ai is not installed", remedy)
        environ = {**self._inherited, **self._env, **(spec.env if spec else {})}
        try:
            return read_settings(environ, spec.model if spec else None)
        except SettingsError as error:
            raise self._missing(error) from None

    def _require_model(self, settings: BuiltinSettings) -> None:
        try:
            required_model(settings)
        except SettingsError as error:
            raise self._missing(error) from None

    def _missing(self, error: SettingsError) -> RunnerUnavailable:
        return self._unavailable(
            str(error), f"set variables in runners.{self.name}.env or in the environment"
        )


def _has_library() -> bool:
    return importlib.util.find_spec("pydantic_ai") is not None
