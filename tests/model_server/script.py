"""What the pretended model does next: pure, from what the conversation holds.

The newest `SCENARIO:name[:argument]` in any text of the user decides; once a tool has answered it, or
refused, the model says its last word. Tools and their arguments are found in the request's own list, so a
new version of an agent does not break it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_SCENARIO = re.compile(r"SCENARIO:(\w+)(?::([^\n\"]*))?")
_WORDS = 600
_CANDIDATES = {"write": ("write_file", "write"), "shell": ("run_shell_command", "bash", "shell")}
_PATH = ("file_path", "filePath", "path", "absolute_path")
_CONTENT = ("content", "text")


@dataclass(frozen=True)
class Tool:
    """A tool the request offers, with the properties of its arguments."""

    name: str
    required: tuple[str, ...]
    properties: tuple[str, ...]


@dataclass(frozen=True)
class Conversation:
    """A request in no product's words: the texts of the user, and whether a tool spoke after the newest."""

    user_texts: tuple[str, ...]
    tool_answered: bool
    tools: tuple[Tool, ...]


@dataclass(frozen=True)
class Reply:
    """Words, said at once or slowly, or one call of a tool."""

    words: Sequence[str] = ()
    slowly: bool = False
    tool: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)


def next_reply(conversation: Conversation) -> Reply:
    """Return the model's turn."""
    if not conversation.tools:
        return Reply(["A title"])
    name, argument = _scenario(conversation.user_texts)
    if conversation.tool_answered:
        return Reply(["All ", "done."])
    match name:
        case "write":
            path, _, text = argument.partition("=")
            return _call("write", conversation.tools, path=path, content=text, command="")
        case "shell":
            return _call("shell", conversation.tools, path="", content="", command=argument)
        case "slow":
            return Reply([f"word{number} " for number in range(_WORDS)], slowly=True)
        case _:
            return Reply([argument or "Hello."])


def _scenario(texts: Sequence[str]) -> tuple[str, str]:
    found = [match for text in texts for match in _SCENARIO.finditer(text)]
    return (found[-1][1], found[-1][2] or "") if found else ("say", "")


def _call(kind: str, tools: Sequence[Tool], *, path: str, content: str, command: str) -> Reply:
    by_name = {tool.name: tool for tool in tools}
    tool = next(by_name[name] for name in _CANDIDATES[kind] if name in by_name)
    return Reply(tool=tool.name, arguments=dict(_arguments(tool, path, content, command)))


def _arguments(tool: Tool, path: str, content: str, command: str) -> Iterator[tuple[str, str]]:
    for name in tool.properties:
        if name in _PATH and path:
            yield name, path
        elif name in _CONTENT and content:
            yield name, content
        elif name == "command" and command:
            yield name, command
        elif name in tool.required:
            yield name, "as asked"
