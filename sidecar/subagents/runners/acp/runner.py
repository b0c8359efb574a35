"""The `acp` runner. It runs any agent that speaks version 1 of the Agent Client Protocol over stdio."""

import asyncio
import importlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.equipment.servers import McpServer
from sidecar.subagents.limits.constraints import RunnerOption
from sidecar.subagents.runners.acp.agents.extras import Extras, GuardedRun, merged
from sidecar.subagents.runners.acp.agents.instructions import instructions
from sidecar.subagents.runners.acp.agents.profiles import (
    PROFILES,
    Profile,
    is_verified,
    model_option,
    profile_named,
)
from sidecar.subagents.runners.acp.setup.learned import Learned
from sidecar.subagents.runners.acp.start_gate import StartGate
from sidecar.subagents.runners.acp.updates.notices import SESSION_META
from sidecar.subagents.runners.contract import AgentStore, Emit, RunSpec
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler
from sidecar.subagents.runners.program_runner import ProgramRunner

if TYPE_CHECKING:
    from sidecar.subagents.runners.acp.agents.own_server import OwnServer
    from sidecar.subagents.runners.acp.conversation import Handshake, TruncationCheck
    from sidecar.subagents.runners.acp.restart import RestartableRun
    from sidecar.subagents.runners.acp.run import AcpRun
    from sidecar.subagents.runners.process.child import ChildProcess

_SIGN_IN = "sign in with the agent's own program, or set its key in runners.{name}.env"
_WAITED = "The start waited for the first start of this agent, which sets up its store.\n"


class AcpRunner(ProgramRunner):
    """Start an agent for each run, with the command from the settings or else from its named profile."""

    type = "acp"
    listens = True
    keeps_sessions = True
    """Whether the agent may keep its sessions in a store of its own."""
    unsupported: Mapping[RunnerOption, str] = MappingProxyType({})

    def __init__(
        self,
        name: str,
        settings: RunnerSettings,
        scheduler: FairScheduler | None = None,
        profile: Profile | None = None,
        environment: Mapping[str, str] = os.environ,
        gate: StartGate | None = None,
        learned: Learned | None = None,
    ) -> None:
        """`environment` is what runs inherit; the runners of one agent share `gate` and `learned`."""
        super().__init__(name, environment)
        self._profile = profile or _profile(name, settings)
        self._argv = tuple(settings.command or self._profile.command)
        self._env = dict(settings.env)
        self._scheduler = scheduler or FairScheduler()
        self._gate = gate or StartGate()
        self.learned = learned or Learned()
        """What the agent announced in earlier runs."""
        self.learned.program, self.learned.sign_in = self._argv, self._profile.sign_in

    def check(self) -> None:
        """Raise `RunnerUnavailable` if there is no command or its program is not found on the PATH."""
        if not self._argv or not self._argv[0]:
            known = ", ".join(PROFILES)
            remedy = f"set runners.{self.name}.command, or name the runner after one of: {known}"
            raise self._unavailable("it has no command", remedy)
        if shutil.which(self._argv[0], path=self._path()) is None:
            reason = f"program {self._argv[0]!r} is not found or not executable"
            raise self._unavailable(reason, f"install it, or set runners.{self.name}.command")

    async def start(self, spec: RunSpec, emit: Emit) -> "RestartableRun":
        """Start the agent in the workspace directory. Raises what `Runner.start` raises."""
        self._check_start(spec)
        self._check_servers(spec)
        # Import on the first run, in a thread: the sidecar's startup checks runners but runs none.
        await asyncio.to_thread(importlib.import_module, "sidecar.subagents.runners.acp.restart")
        from sidecar.subagents.runners.acp.restart import RestartableRun

        extras = await asyncio.to_thread(self._extras, spec)
        instruction_text = await asyncio.to_thread(_instructions, spec, extras)
        first = await self._start(spec, emit, extras, instruction_text)
        return RestartableRun(first, lambda: self._start(spec, emit, extras, instruction_text), emit)

    async def _start(
        self, spec: RunSpec, emit: Emit, extras: Sequence[Extras], instruction_text: str
    ) -> "AcpRun":
        from sidecar.subagents.runners.acp.run import AcpRun

        server = self._own_server()
        extras = extras if server is None else [*extras, server.extras]
        entry = await self._gate.enter()
        try:
            if entry.has_waited:
                await emit({"type": "log", "stream": "stderr", "text": _WAITED})
            process = await self._spawn_agent(spec, extras)
        except BaseException:
            entry.leave()
            raise
        handshake = self._handshake(spec, extras, instruction_text, server)
        return AcpRun(process, spec, handshake, emit, self._scheduler, entry)

    def _own_server(self) -> "OwnServer | None":
        """Return the server that a start of the agent gets, if the agent runs one for itself.

        The sidecar chooses the port only for the agent's own program, since another may not have the option.
        """
        from sidecar.subagents.runners.acp.agents.own_server import OwnServer, free_port

        if not self._profile.has_own_server:
            return None
        is_its_own = os.path.basename(self._argv[0]) == self._profile.command[0]  # noqa: PTH119
        has_port = any(each.startswith("--port") for each in self._argv)
        return OwnServer(free_port() if is_its_own and not has_port else None)

    def _handshake(
        self, spec: RunSpec, extras: Sequence[Extras], instruction_text: str, server: "OwnServer | None"
    ) -> "Handshake":
        from sidecar.subagents.runners.acp.conversation import Handshake
        from sidecar.subagents.runners.acp.setup.configuration import Configuration

        by_flag = self._profile.model_flag is not None
        environment = {**self._inherited, **self._environment(extras), **spec.env}
        return Handshake(
            Configuration(None if by_flag else spec.model, spec.effort, spec.mode),
            self._profile.sign_in,
            started_with=spec.model if by_flag else None,
            asking=self._profile.modes,
            meta=merged(SESSION_META, *(each.meta for each in extras)),
            instructions=instruction_text,
            truncation_check=self._truncation_check(spec, extras),
            asks_questions=self._profile.asks_questions,
            question_in=self._profile.question_in,
            counts_answers=self._profile.counts_answers,
            loses_images=self._profile.loses_images,
            repeats_late=self._profile.repeats_late,
            failed_servers=None if server is None else server.failed_servers,
            learned=self.learned,
            store=AgentStore(environment, self._profile.misreports_usage) if self.keeps_sessions else None,
        )

    async def _spawn_agent(self, spec: RunSpec, extras: Sequence[Extras]) -> "ChildProcess":
        argv = (*self._argv, *(arg for each in extras for arg in each.args))
        return await self._spawn(argv, spec, self._environment(extras), interactive=True)

    def _extras(self, spec: RunSpec) -> list[Extras]:
        """Return what a run adds to the command and its environment. Later entries take precedence."""
        profile = self._profile
        found = [Extras(self._model_option(spec.model))]
        if spec.servers:
            found.append(profile.serving)
        if spec.trusted:
            found.append(profile.trust)
        if spec.trusted and not spec.must_ask:
            found.append(profile.unguarded)
        else:
            guarded = GuardedRun(spec.workspace_dir, spec.constraints.tools, must_ask=spec.must_ask)
            try:
                found.append(profile.guard(guarded))
            except ValueError as error:
                raise self._unavailable(str(error), "or set permissions: allowAll") from None
        return found

    def _check_servers(self, spec: RunSpec) -> None:
        """Raise `RunnerUnavailable` if the agent would ignore the run's servers, or cannot start one."""
        serves = self._profile.serves
        for server in spec.servers:
            if isinstance(server, McpServer) and not self._finds(server, spec.workspace_dir):
                reason = f"its program {server.command[0]!r} is not found or not executable"
                remedy = "install it, or correct its command"
                raise self._unavailable(f"mcpServers: {server.name}: {reason}", remedy)
        if not spec.servers or serves == "always":
            return
        if spec.must_ask or not spec.trusted:
            reason = "this agent uses mcpServers only in a trusted workspace and without asking"
            raise self._unavailable(
                reason,
                "set permissions: allowAll, use another runner, or write mcpServers: [] in the definition",
            )

    def _finds(self, server: McpServer, workspace: Path) -> bool:
        program = server.command[0]
        if os.path.dirname(program):  # noqa: PTH120 (a name without a folder is found on the PATH)
            program = str(workspace / program)
        return shutil.which(program, path=server.env.get("PATH", self._path())) is not None

    def _truncation_check(self, spec: RunSpec, extras: Sequence[Extras]) -> "TruncationCheck | None":
        if self._profile.truncation_check is None:
            return None
        return partial(
            self._profile.truncation_check, {**self._inherited, **self._environment(extras), **spec.env}
        )

    def _path(self) -> str | None:
        return {**self._inherited, **self._environment(())}.get("PATH")

    def _environment(self, extras: Iterable[Extras]) -> dict[str, str]:
        added = {name: value for each in extras for name, value in each.env.items()}
        return {**self._profile.env, **added, **self._env}

    def _model_option(self, model: str | None) -> tuple[str, ...]:
        if self._profile.model_flag is None or model is None:
            return ()
        try:
            return (model_option(self._profile.model_flag, model),)
        except ValueError as error:
            raise self._unavailable(str(error), "correct model: in its definition") from None


def _profile(name: str, settings: RunnerSettings) -> Profile:
    """Return the profile of a runner. A command of the user's own is not that of an unverified agent."""
    known = profile_named(name) if settings.command is None or is_verified(name) else None
    return known or Profile((), _SIGN_IN.replace("{name}", name))


def _instructions(spec: RunSpec, extras: Sequence[Extras]) -> str:
    """Return the workspace's instructions that the agent, with these extras, does not read itself."""
    names = [name for each in extras for name in each.instructions]
    return instructions(spec.workspace_dir, names) if spec.trusted and names else ""
