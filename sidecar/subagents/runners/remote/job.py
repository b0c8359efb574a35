"""What the sidecar, a gateway and a node know about one run on a cluster, as plain values."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from sidecar.api.mcp_servers import McpServerEntry
from sidecar.api.runs.permissions import Policy
from sidecar.api.settings import RunnerSettings
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.runners.contract import FormerSession

EXTRA_SECONDS = 15.0
"""How much later than the sidecar a node applies a time limit."""
KEEP_DAYS = 90.0
"""How long the changes of a run stay in its repository by default."""
_REFERENCE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


class JobAttachment(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An attachment for a node: a file of the workspace by its `path` in the repository, or else its content.

    `name` is the name of the file that had the content; None for data that came with the launch.
    """

    mime_type: str | None = None
    path: str | None = None
    name: str | None = None


class Job(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One run for a node: its runner, prompt and limits, without any secret.

    `limit_seconds` is the time limit that the node itself applies when no sidecar does; None for none.
    `directories` are paths below the top of the repository.
    """

    task_id: str
    runner_name: str
    runner: RunnerSettings
    prompt: str
    model: str | None = None
    mode: str | None = None
    effort: str | None = None
    policy: Policy = "ask"
    trusted: bool = False
    constraints: RunConstraints = msgspec.field(default_factory=RunConstraints)
    former: FormerSession | None = None
    limit_seconds: float | None = None
    servers: dict[str, McpServerEntry] = msgspec.field(default_factory=dict)
    attachments: tuple[JobAttachment, ...] = ()
    directories: tuple[str, ...] = ()


class Tree(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The workspace of a run as git sees it.

    `root` is the top of the repository on the sidecar's machine, and `prefix` the working directory below
    it, "" at the top. `base` is the commit that the run starts from. `repository` names the node's cache.
    `workspace` is the commit of the workspace if the base has changes of earlier runs too, else None.
    `earlier` are the runs whose changes the base has.
    """

    root: str
    prefix: str
    base: str
    repository: str
    workspace: str | None = None
    earlier: tuple[str, ...] = ()


class RemoteRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the journal keeps of a run on a cluster, so that a later process can follow it.

    `gateway` is the command that reaches the cluster. `is_going` says that the node was asked to start the
    agent: from then on the run is only found again and never created again. `node` and `node_id` name it.
    `keep_days` says how long the changes of runs stay in the repository.
    """

    gateway: list[str]
    address: str
    namespace: str
    token_path: str | None = None
    heartbeat_seconds: float
    lost_after_seconds: float
    tree: Tree
    runner_type: str
    listens: bool
    policy: Policy
    constraints: RunConstraints
    is_going: bool = False
    node: str | None = None
    node_id: str = ""
    keep_days: float = KEEP_DAYS


def missing_variables(env: Mapping[str, str], environment: Mapping[str, str]) -> list[str]:
    """Return the variables that `env` refers to and `environment` does not set."""
    names = [name for value in env.values() for name in _REFERENCE.findall(value)]
    return sorted({name for name in names if name not in environment})


def literal_variables(env: Mapping[str, str]) -> list[str]:
    """Return the variables whose values are not just references to variables of the node."""
    return [name for name, value in env.items() if _REFERENCE.fullmatch(value) is None]


def literal_values(entry: McpServerEntry) -> list[str]:
    """Return the variables and headers of an MCP server whose values refer to no variable of the node."""
    return [
        name for name, value in {**entry.env, **entry.headers}.items() if _REFERENCE.search(value) is None
    ]


def filled(env: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Replace each `${env:NAME}` by the variable of the node; see `missing_variables`."""
    return {
        name: _REFERENCE.sub(lambda found: environment.get(found[1], ""), value)
        for name, value in env.items()
    }


def to_plain(value: Any) -> Any:
    """Return a value as JSON types."""
    return msgspec.to_builtins(value)
