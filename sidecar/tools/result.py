"""What every tool of the model returns."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ToolError:
    """Why a call failed: `type` is PARAMETER_VALIDATION, EXECUTION_FAILED or TIMEOUT."""

    message: str
    type: str


@dataclass(frozen=True)
class ToolResult:
    """A tool's answer: text for the model, text for the person, and structured facts for the client."""

    llm_content: str
    return_display: str
    metadata: dict[str, Any] | None = None
    error: ToolError | None = None
