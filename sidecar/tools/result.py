"""What a tool of the model answers."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ToolError:
    """Why a tool refused or failed; `type` is PARAMETER_VALIDATION, EXECUTION_FAILED or TIMEOUT."""

    message: str
    type: str


@dataclass(frozen=True)
class ToolResult:
    """The text for the model, the text for a person, and what a program may read."""

    llm_content: str
    return_display: str
    metadata: dict[str, Any] | None = None
    error: ToolError | None = None
