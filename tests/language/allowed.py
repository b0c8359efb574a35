"""Lines in which an idiom is right."""

from typing import NamedTuple


class Allowed(NamedTuple):
    """A text in a line of a file, and why it may stay."""

    path: str
    text: str
    reason: str


ALLOWED = (
    Allowed(
        "client-ts/src/agents/conversationEditors.ts", "vscode.ViewColumn.Beside", "a name of VS Code's API"
    ),
    Allowed("client-ts/src/util/showFile.ts", "vscode.ViewColumn.Beside", "a name of VS Code's API"),
    Allowed("docs/glossary.md", "| **problem** |", "lists the words to avoid"),
    Allowed("docs/glossary.md", "| **event** |", "lists the words to avoid"),
    Allowed("docs/glossary.md", "| **resume** |", "lists the words to avoid"),
    Allowed("docs/glossary.md", "| **permission request** |", "lists the words to avoid"),
    Allowed("docs/glossary.md", "| **remembered permission** |", "lists the words to avoid"),
    Allowed("sidecar/subagents/journal/schema.py", "CREATE INDEX runs_untold", "a name in released journals"),
)
