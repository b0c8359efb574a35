"""Renders the manifest of the VS Code extension with the input schemas of the model's tools."""

import json
from collections.abc import Mapping
from typing import Any

from sidecar.tools import CheckAsyncTasksTool, ListTasksTool
from sidecar.tools.task import SubagentTool

SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    tool.name: tool.parameter_schema for tool in (ListTasksTool, SubagentTool, CheckAsyncTasksTool)
}


def render(manifest: str) -> str:
    """Return `package.json` with the input schemas of the sidecar's tools for the language model tools.

    Raises KeyError for a tool that the sidecar does not have.
    """
    content: dict[str, Any] = json.loads(manifest)
    for tool in content["contributes"].get("languageModelTools", []):
        tool["inputSchema"] = dict(SCHEMAS[tool["name"]])
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
