"""The results of the model's tools."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ToolError:
    """The error of a tool; `type` is PARAMETER_VALIDATION, EXECUTION_FAILED or TIMEOUT."""

    message: str
    type: str


@dataclass(frozen=True)
class ToolResult:
    """The text for the model, the text for people, and metadata for programs."""

    llm_content: str
    return_display: str
    metadata: dict[str, Any] | None = None
    error: ToolError | None = None
