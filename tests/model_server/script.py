"""What the fake model does next, as a pure function of the conversation.

The newest `SCENARIO:name[:argument]` in any text of the user decides; once a tool has answered or refused the
call, the model sends its last text. Tools and their arguments are found in the request's own list, so a
new version of an agent does not break it.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sidecar.subagents.runners.acp.check.kit import ASK, CONTENT, FILE, RUN, TALK, WRITE
from tests.model_server.usage import Usage

_SCENARIO = re.compile(r"SCENARIO:(\w+)(?::([^\n\"]*))?")
_NOTICE = "<task-notification>"
"""What an agent tells its model when a subagent in the background ends."""
_WRITE = re.compile(re.escape(WRITE).replace(re.escape("{path}"), r"(\S+)"))
_WORDS = 600
_CANDIDATES = {
    "write": ("write_file", "write", "Write"),
    "shell": ("run_shell_command", "run_command", "bash", "Bash", "exec_command", "shell_command", "shell"),
    "ask": ("AskUserQuestion", "ask_user_question", "ask_user", "question", "request_user_input"),
    "delegate": ("task", "Task", "Agent", "agent", "invoke_agent"),
}
_PATH = ("file_path", "filePath", "path", "absolute_path")
_CONTENT = ("content", "text")
_COMMAND = ("command", "cmd")
_AGENT = ("subagent_type", "agent_name")
_ORDER = ("prompt",)
_CLASSIFIER = "respond_in_schema"
"""The only tool of qwen's request that asks whether a call is allowed without the user; it is."""
_OUTSIDE_THE_SANDBOX = {"sandbox_permissions": "require_escalated", "justification": "as asked"}
"""How a model of codex asks the user."""


@dataclass(frozen=True)
class Tool:
    """A tool the request offers, with the properties of its arguments."""

    name: str
    required: tuple[str, ...]
    properties: tuple[str, ...]


@dataclass(frozen=True)
class Conversation:
    """A request in neutral terms: the texts of the user, and whether a tool answered after the newest."""

    user_texts: tuple[str, ...]
    tool_answered: bool
    tools: tuple[Tool, ...]
    tool_texts: tuple[str, ...] = ()
    """The answers of tools after the newest scenario, oldest first."""

    @property
    def is_side_call(self) -> bool:
        """Return whether an agent asks for itself, such as for a title or for suggestions of prompts."""
        last = max((n for n, text in enumerate(self.user_texts) if "SCENARIO:" in text), default=-1)
        later = self.user_texts[last + 1 :]
        return not self.tools or any(text for text in later if _NOTICE not in text)

    @property
    def goal(self) -> str:
        """The newest scenario, `name:argument`."""
        return ":".join(_scenario(self.user_texts))


@dataclass(frozen=True)
class Reply:
    """A text, sent at once or slowly, or one call of a tool."""

    words: Sequence[str] = ()
    slowly: bool = False
    tool: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    id: str = "1"
    """What distinguishes the answer from others of its server."""


SLOW = Reply([f"word{number} " for number in range(_WORDS)], slowly=True)
_NO_TOOL = Reply(["There is no tool for that."])


def next_reply(conversation: Conversation) -> Reply:
    """Return the model's turn."""
    if not conversation.tools:
        return Reply(["A title"])
    if [tool.name for tool in conversation.tools] == [_CLASSIFIER]:
        return Reply(tool=_CLASSIFIER, arguments={"shouldBlock": False})
    name, argument = _check(conversation.user_texts) or _scenario(conversation.user_texts)
    if name in ("orchestrate", "receive", "collect"):
        from tests.model_server import orchestration  # which needs the types above

        return orchestration.next_step(name, conversation.tools, conversation.tool_texts)
    if name == "served":  # SERVER>TOOL>TEXT: a call of a tool of an MCP server
        return _served(conversation, *argument.split(">", 2))
    if name == "edit":  # PATH=OLD>NEW, where | is a line break
        from tests.model_server import editing  # which needs the types above

        return editing.next_edit(conversation.tools, len(conversation.tool_texts), argument)
    if conversation.tool_answered:
        return Reply(["All ", "done."])
    match name:
        case "write":
            path, _, text = argument.partition("=")
            return _write(conversation.tools, path, text)
        case "shell":
            return _call("shell", conversation.tools, path="", content="", command=argument)
        case "delegate":  # AGENT>SCENARIO>ARGUMENT, for a subagent of the agent
            return _delegate(conversation.tools, *argument.split(">", 2))
        case "ask":  # a question to the user, with two choices
            tool = _tool("ask", conversation.tools)
            return _NO_TOOL if tool is None else Reply(tool=tool.name, arguments=_question(tool, argument))
        case "slow":
            return SLOW
        case _:
            return Reply([argument or "Hello."])


def _check(texts: Sequence[str]) -> tuple[str, str] | None:
    """Return the scenario for a prompt of `agents check`, which is written in plain words."""
    for text in reversed(texts):  # some agents write a text of their own after it
        if written := _WRITE.search(text):
            return "write", f"{written[1]}={CONTENT}"
        if RUN in text:
            return "shell", f"touch {FILE}"
        if ASK in text:
            return "ask", "Which color?"
        if TALK in text:
            return "slow", ""
    return None


def _scenario(texts: Sequence[str]) -> tuple[str, str]:
    found = [match for text in texts for match in _SCENARIO.finditer(text)]
    return (found[-1][1], found[-1][2] or "") if found else ("say", "")


def _served(conversation: Conversation, server: str, tool: str, text: str) -> Reply:
    from tests.model_server.served_tools import FOUND, call_served  # which needs the types above

    if any(FOUND not in answer for answer in conversation.tool_texts):
        return Reply(["All ", "done."])
    return call_served(conversation.tools, conversation.tool_texts, server, tool, {"text": text})


_ALSO: dict[str, dict[str, Any]] = {"request_user_input": {"id": "color"}, "ask_user": {"type": "choice"}}
"""What the tools of codex and gemini want besides; the others refuse members that they do not know."""


def _question(tool: Tool, text: str) -> dict[str, Any]:
    options = [{"label": label, "description": f"Use {label}"} for label in ("Red", "Blue")]
    also = _ALSO.get(tool.name, {})
    return {"questions": [{"question": text, "header": "Color", "options": options, **also}]}


def _write(tools: Sequence[Tool], path: str, text: str) -> Reply:
    if _tool("write", tools) is not None:
        return _call("write", tools, path=path, content=text, command="")
    command = f"printf %s {shlex.quote(text)} > {shlex.quote(path)}"  # some agents have a shell only
    return _call("shell", tools, path="", content="", command=command)


def _delegate(tools: Sequence[Tool], agent: str, scenario: str, argument: str) -> Reply:
    tool = _tool("delegate", tools)
    if tool is None:
        return _NO_TOOL
    values = {
        **dict.fromkeys(_AGENT, agent),
        **dict.fromkeys(_ORDER, f"SCENARIO:{scenario}:{argument}"),
    }
    given = {
        name: values.get(name, "as asked") for name in tool.properties if name in {*values, *tool.required}
    }
    return Reply(tool=tool.name, arguments=given)


def _tool(kind: str, tools: Sequence[Tool]) -> Tool | None:
    by_name = {tool.name: tool for tool in tools}
    return next((by_name[name] for name in _CANDIDATES[kind] if name in by_name), None)


def _call(kind: str, tools: Sequence[Tool], *, path: str, content: str, command: str) -> Reply:
    tool = _tool(kind, tools)
    if tool is None:
        return _NO_TOOL
    return Reply(tool=tool.name, arguments=dict(_arguments(tool, path, content, command)))


def _arguments(tool: Tool, path: str, content: str, command: str) -> Iterator[tuple[str, str]]:
    for name in tool.properties:
        if name in _PATH and path:
            yield name, path
        elif name in _CONTENT and content:
            yield name, content
        elif name in _COMMAND and command:
            yield name, command
        elif name in _OUTSIDE_THE_SANDBOX:
            yield name, _OUTSIDE_THE_SANDBOX[name]
        elif name in tool.required:
            yield name, "as asked"
