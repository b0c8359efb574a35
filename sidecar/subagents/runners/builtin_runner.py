"""The `builtin` runner: the agent that comes with the sidecar, started like any other that speaks ACP."""

import importlib.util
import os
from typing import TYPE_CHECKING

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.acp.asking.profiles import Profile
from sidecar.subagents.runners.acp.guards.extras import Extras
from sidecar.subagents.runners.acp.runner import AcpRunner
from sidecar.subagents.runners.builtin_settings import (
    TRUSTED,
    BuiltinSettings,
    SettingsFault,
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
    """Starts the built-in agent for each run, with what the environment says of its model."""

    type = "builtin"

    def __init__(self, name: str, settings: RunnerSettings, scheduler: FairScheduler | None = None) -> None:
        command = module_command("sidecar.subagents.runners.builtin")
        profile = Profile(
            command,
            "check the key of its model",
            model_flag="--model",
            counts_answers=True,
            trust=Extras(env={TRUSTED: "1"}),  # it reads the rules files of a workspace then
        )
        super().__init__(name, settings, scheduler, profile)
        self._has_command = settings.command is not None

    def check(self) -> None:
        """Raise `RunnerUnavailable` when its library is not installed, or provider or key are not known.

        A model may be missing: each definition can name its own.
        """
        self._settings(None)

    def check_alone(self) -> None:
        """Raise `RunnerUnavailable` also when a definition that names no model could not run."""
        self._require_model(self._settings(None))

    @property
    def is_meant(self) -> bool:
        """Whether its library is installed and there is a key: somebody may look for it among the runners."""
        return _has_library() and has_key({**os.environ, **self._env})

    async def start(self, spec: RunSpec, emit: Emit) -> "RestartableRun":
        """Start the agent; `Runner.start` says what it raises."""
        self._require_model(self._settings(spec))
        return await super().start(spec, emit)

    def _settings(self, spec: RunSpec | None) -> BuiltinSettings:
        if self._has_command:
            raise self._unavailable("it takes no command", f"remove runners.{self.name}.command")
        if not _has_library():
            remedy = 'pip install "subagent-sidecar[builtin]"'
            raise self._unavailable("its library pydantic-ai is not installed", remedy)
        environ = {**os.environ, **self._env, **(spec.env if spec else {})}
        try:
            return read_settings(environ, spec.model if spec else None)
        except SettingsFault as fault:
            raise self._missing(fault) from None

    def _require_model(self, settings: BuiltinSettings) -> None:
        try:
            required_model(settings)
        except SettingsFault as fault:
            raise self._missing(fault) from None

    def _missing(self, fault: SettingsFault) -> RunnerUnavailable:
        return self._unavailable(str(fault), f"variables can be set in runners.{self.name}.env or outside")


def _has_library() -> bool:
    return importlib.util.find_spec("pydantic_ai") is not None
