"""What an agent announced about itself when it last ran, as `runners/list` shows it."""

import msgspec

from sidecar.api.base import Record


class SignInMethod(Record, kw_only=True):
    """One way to sign in."""

    id: str
    """The agent's name for it."""
    name: str
    """A label for people."""
    command: list[str] | None = None
    """Run this in a terminal to sign in. Absent if the agent does not name a command."""
    env: dict[str, str] | None = None
    """Environment variables for the command. Absent if it needs none."""


class RunnerAuth(Record, kw_only=True):
    """Whether a person has to sign in, and how."""

    needed: bool = msgspec.field(default_factory=bool)
    """Whether the agent refused to open its last session without a sign-in."""
    methods: list[SignInMethod]
    """What the agent offers. An agent that has a key or is already signed in needs none of them."""
    advice: str | None = None
    """How a person signs in, in words."""
    command: list[str] | None = None
    """The command in `advice`, to be run in a terminal. Absent if it names none."""


class SlashCommand(Record, kw_only=True):
    """A command of the agent: a prompt may begin with `/NAME`."""

    name: str
    """The name, without the slash."""
    description: str
    """What it does."""
    hint: str | None = None
    """What to write after the name."""


class AgentChoices(Record, kw_only=True):
    """The values that the agent's last session offered; a list is empty if the agent offers no choice."""

    models: list[str]
    """Values for `model`."""
    modes: list[str]
    """Values for `mode`."""
    asking_modes: list[str]
    """Those of `modes` in which the agent asks; the others need the policy `allowAll`."""
    efforts: list[str]
    """Values for `effort`, with the model that was in force."""


class AgentFeatures(Record, kw_only=True):
    """What the agent supports."""

    version: str | None = None
    """The version of the agent."""
    images: bool = msgspec.field(default_factory=bool)
    """Whether it supports images in `attachments`."""
    embedded_files: bool = msgspec.field(default_factory=bool)
    """Whether it supports other data in `attachments`."""
    http_servers: bool = msgspec.field(default_factory=bool)
    """Whether it supports MCP servers of type `http`."""
    sse_servers: bool = msgspec.field(default_factory=bool)
    """Whether it supports MCP servers of type `sse`."""
    additional_directories: bool = msgspec.field(default_factory=bool)
    """Whether it supports `additionalDirectories`."""
    resumes: bool = msgspec.field(default_factory=bool)
    """Whether a later run can resume its sessions."""
    steering: bool = msgspec.field(default_factory=bool)
    """Whether it accepts messages during a turn."""


class AgentReport(Record, kw_only=True):
    """What `agents doctor` found about one agent."""

    name: str
    """The name of the runner."""
    opened: bool
    """Whether a session was opened, in a mode in which the agent asks."""
    seconds: float
    """How long that took."""
    error: str | None = None
    """Why no session was opened, and the remedy."""
    mode: str | None = None
    """The mode that was chosen. Absent if the agent has no modes."""
    auth: RunnerAuth | None = None
    """How to sign in."""
    choices: AgentChoices | None = None
    """What the session offered."""
    features: AgentFeatures | None = None
    """What the agent supports."""
    processes_left: int = msgspec.field(default_factory=int)
    """How many processes of the agent were left after it was stopped."""


class CheckResult(Record, kw_only=True):
    """One check of `agents check`. `passed` is absent if the model did not do what the check needs."""

    name: str
    """What is checked."""
    passed: bool | None = None
    """Whether the agent passed."""
    detail: str
    """What happened."""
