"""The server's entry in the text of a configuration, whatever its format; pure."""

from typing import Any

from sidecar.cli.install import jsonc, toml_table
from sidecar.cli.install.agents import NAME, AgentConfig
from sidecar.cli.install.undo import undone

MISSING = object()
BadText = (jsonc.BadJson, toml_table.BadToml)
"""What these functions raise for a text that they cannot read or change."""
PLACEHOLDER = "entry of subagent-sidecar"


def find(text: str, agent: AgentConfig) -> Any:
    """Return the entry, or MISSING."""
    servers = _parse(text, agent).get(agent.container)
    return servers.get(NAME, MISSING) if isinstance(servers, dict) else MISSING


def put(text: str, agent: AgentConfig, entry: dict[str, Any]) -> str:
    """Return the text with this entry, in place of the one that it holds, if any. Raises one of BadText."""
    return _put(text, agent, entry)


def restored(text: str, agent: AgentConfig, original: str) -> str | None:
    """Return the text with the installation in `original` undone, and every later edit outside of the entry.

    None if what the installation wrote around the entry was edited too.
    """
    try:
        left = undone(_marked(text, agent), original, _marked(original, agent))
        if left is None or left == original:
            return left
        is_right = _others(left, agent) == _others(text, agent) and find(left, agent) == find(original, agent)
    except BadText:
        return None
    return left if is_right else None


def without(text: str, agent: AgentConfig, original: str | None) -> str | None:
    """Return the text without the entry; None if nothing is left of a file that was not there before.

    `original` is the text before the installation: a container that it lacks goes too once it is empty.
    Raises one of BadText.
    """
    left = _removed(text, agent)
    if find(left, agent) is not MISSING:
        raise jsonc.BadJson(f'it holds "{agent.container}" more than once; remove {NAME} by hand')
    had_container = original is not None and agent.container in _parse(original, agent)
    if agent.format == "json" and not had_container and jsonc.is_blank(left, agent.container):
        left = jsonc.remove(left, agent.container)
    return None if original is None and left.strip("\ufeff{} \t\r\n") == "" else left


def _marked(text: str, agent: AgentConfig) -> str:
    """Return the text with the same entry whatever the user wrote into it, one that is found nowhere else."""
    return _put(text, agent, PLACEHOLDER if agent.format == "json" else {PLACEHOLDER: ""})


def _put(text: str, agent: AgentConfig, entry: Any) -> str:
    is_new = find(text, agent) is MISSING
    if agent.format == "json":
        change = jsonc.insert if is_new else jsonc.replace
    else:
        change = toml_table.insert if is_new else toml_table.replace
    return _like(text, change(text, agent.container, NAME, entry))


def _parse(text: str, agent: AgentConfig) -> dict[str, Any]:
    return jsonc.parse(text) if agent.format == "json" else toml_table.parse(text)


def _others(text: str, agent: AgentConfig) -> dict[str, Any]:
    """Return the values of a text without the server, and with its container only if that has others."""
    values = _parse(text, agent)
    servers = values.pop(agent.container, {})
    if isinstance(servers, dict):
        servers.pop(NAME, None)
    return values if servers == {} else {**values, agent.container: servers}


def _removed(text: str, agent: AgentConfig) -> str:
    remove = jsonc.remove if agent.format == "json" else toml_table.remove
    return remove(text, agent.container, NAME)


def _like(model: str, text: str) -> str:
    """Return a text with CR LF line breaks if `model` has only those."""
    only_crlf = model.count("\n") == model.count("\r\n") > 0
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if only_crlf else text
