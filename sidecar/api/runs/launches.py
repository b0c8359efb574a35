"""Launching and resuming async tasks."""

from typing import Any, Literal

from sidecar.api.base import Params, Record
from sidecar.api.runs.async_tasks import AsyncTask, PlacementKind, ResumeMode


class TaskIdParams(Params, kw_only=True):
    """An ID or a unique prefix."""

    task_id: str


class TaskResult(Record, kw_only=True):
    """One async task."""

    task: AsyncTask
    """The task after the change."""
    revision: int


class Attachment(Params, kw_only=True):
    """A file or an image for the agent: exactly one of `path` and `data`."""

    path: str | None = None
    """A file: an absolute path, or one that stays inside the working directory."""
    data: str | None = None
    """The content in Base64."""
    mime_type: str | None = None
    """The type of the content, such as `image/png`. Required with `data`."""


class LaunchParams(Params, kw_only=True):
    """Parameters of `asyncTasks/launch`.

    `expected_outputs` is name to description; an empty `tool_whitelist` means no tool at all; `max_turns`
    is 1 or more, or -1 for no limit. A runner that cannot enforce one of the three refuses it by name.
    `parent_task_id` is the ID of another async task, or a unique prefix. With `notify_model` a reminder
    notifies the model of the end, as for runs that the model launched; otherwise only `asyncTasks/didChange`
    reports it.
    """

    subagent_name: str
    """The name of a definition."""
    goal_prompt: str
    """What the subagent should achieve."""
    behaviour_prompts: list[str] | None = None
    """Additional instructions, appended to the prompt."""
    context: dict[str, Any] | None = None
    """Values for `${name}` placeholders. Values without a placeholder are appended as JSON."""
    expected_outputs: dict[str, str] | None = None
    """Outputs that the run must emit: name to description."""
    tool_whitelist: list[str] | None = None
    """The only tools that the run may use, of those that its definition allows. An empty list allows none.
    Default: all of those.
    """
    timeout_seconds: int | float | None = None
    """The time limit in seconds, -1 for none. Default: the definition, then the settings."""
    grace_period_seconds: int | float | None = None
    """Time for a last turn when the time or the turns are used up, in seconds; 0 or -1 for none. Default: the
    setting `asyncTasks.gracePeriodSeconds`.
    """
    max_turns: int | None = None
    """The maximum number of model answers, -1 for no limit. Default: the definition, then no limit."""
    workspace_dir: str | None = None
    """The absolute path of the working directory. Default: the first workspace folder."""
    over_limit: Literal["reject", "queue"] | None = None
    """What to do at the limit. Default: the setting `asyncTasks.overLimit`."""
    parent_task_id: str | None = None
    """The run on whose behalf this one is launched. It counts for `asyncTasks.maxDepth`."""
    isolation: Literal["none"] | None = None
    """Where the run works. Only `none` is implemented."""
    placement: PlacementKind | None = None
    """Where the run works. Default: the definition, then the runner's setting, then this machine."""
    node_labels: dict[str, str] | None = None
    """The labels that a node must have, for `placement: ray`. They take precedence over `fleet.labels`."""
    notify_model: bool = False
    """Notify the model of the end, as it is notified of runs that it launched itself."""
    additional_directories: list[str] | None = None
    """Absolute paths of folders that the agent may use besides the working directory, if it supports them."""
    attachments: list[Attachment] | None = None
    """Files and images for the first prompt, at most 20."""
    model: str | None = None
    """The model of the agent. Default: that of the definition, then the agent's own choice."""
    mode: str | None = None
    """The mode of the agent's session. Without `allowAll`, it must be one in which the agent asks. Default:
    that of the definition, then the agent's own choice.
    """
    effort: str | None = None
    """How much effort the model spends, as the agent names it. Default: that of the definition, then the
    agent's own choice.
    """


class ResumeParams(Params, kw_only=True):
    """Parameters of `asyncTasks/resume`: an ended task, and what to say to its agent.

    Without `notify_model`, the end of the new run is reported to the model if that of the ended run was.
    """

    task_id: str
    text: str | None = None
    """What to tell the agent. Default: ask it to continue."""
    over_limit: Literal["reject", "queue"] | None = None
    """What to do at the limit. Default: the setting `asyncTasks.overLimit`."""
    notify_model: bool | None = None
    """Notify the model of the end. Default: as for the ended run."""


class ResumeResult(Record, kw_only=True):
    """The new task that continues the ended one.

    `session`: the agent resumes its former session. `replay`: a new session gets the earlier conversation.
    """

    task: AsyncTask
    """The new task."""
    mode: ResumeMode
    """`session`: the agent loads its earlier session. `replay`: it receives the earlier conversation as text.
    """
    revision: int
