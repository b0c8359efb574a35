"""The server's entry in the text of a configuration, whatever its format; pure."""

from typing import Any

from sidecar.cli.install import jsonc, toml_table
from sidecar.cli.install.agents import NAME, AgentConfig

MISSING = object()
BadText = (jsonc.BadJson, toml_table.BadToml)
"""What these functions raise for a text that they cannot read or change."""


def find(text: str, agent: AgentConfig) -> Any:
    """Return the entry, or MISSING."""
    servers = _parse(text, agent).get(agent.container)
    return servers.get(NAME, MISSING) if isinstance(servers, dict) else MISSING


def put(text: str, agent: AgentConfig, entry: dict[str, Any]) -> str:
    """Return the text with this entry in place of the one that it holds, if any."""
    bare = text if find(text, agent) is MISSING else _removed(text, agent)
    insert = jsonc.insert if agent.format == "json" else toml_table.insert
    return _like(text, insert(bare, agent.container, NAME, entry))


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


def _parse(text: str, agent: AgentConfig) -> dict[str, Any]:
    return jsonc.parse(text) if agent.format == "json" else toml_table.parse(text)


def _removed(text: str, agent: AgentConfig) -> str:
    remove = jsonc.remove if agent.format == "json" else toml_table.remove
    return remove(text, agent.container, NAME)


def _like(model: str, text: str) -> str:
    """Return a text with the line breaks of a model that has CR LF only."""
    only_crlf = model.count("\n") == model.count("\r\n") > 0
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if only_crlf else text
