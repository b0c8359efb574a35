"""The `builtin` runner: the agent that comes with the sidecar, started like any other that speaks ACP."""

import importlib.util
import os
from typing import TYPE_CHECKING

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.acp import AcpRunner
from sidecar.subagents.runners.builtin_settings import SettingsFault, read_settings, required_model
from sidecar.subagents.runners.contract import Emit, RunSpec
from sidecar.subagents.runners.module_command import module_command
from sidecar.subagents.runners.profiles import Profile
from sidecar.subagents.runners.turns import Turns

if TYPE_CHECKING:
    from sidecar.subagents.runners.acp_run import AcpRun

NAME = "builtin"


class BuiltinRunner(AcpRunner):
    """Starts the built-in agent for each run, with what the environment says of its model."""

    type = "builtin"

    def __init__(self, name: str, settings: RunnerSettings, turns: Turns | None = None) -> None:
        command = module_command("sidecar.subagents.runners.builtin")
        profile = Profile(command, "check the key of its model", model_flag="--model")
        super().__init__(name, settings, turns, profile)
        self._has_command = settings.command is not None

    def check(self) -> None:
        """Raise `RunnerUnavailable` when its library is not installed, or provider or key are not known."""
        self._check(None)

    async def start(self, spec: RunSpec, emit: Emit) -> "AcpRun":
        """Start the agent; `Runner.start` says what it raises."""
        self._check(spec)
        return await super().start(spec, emit)

    def _check(self, spec: RunSpec | None) -> None:
        if self._has_command:
            raise self._unavailable("it takes no command", f"take runners.{self.name}.command away")
        if importlib.util.find_spec("pydantic_ai") is None:
            remedy = 'pip install "subagent-sidecar[builtin]"'
            raise self._unavailable("its library pydantic-ai is not installed", remedy)
        environ = {**os.environ, **self._env, **(spec.env if spec else {})}
        try:
            settings = read_settings(environ, spec.model if spec else None)
            if spec is not None:
                required_model(settings)
        except SettingsFault as fault:
            where = f"it is looked for in runners.{self.name}.env and in the environment"
            raise self._unavailable(str(fault), where) from None
