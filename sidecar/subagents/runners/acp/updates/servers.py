"""Recognize in an agent's reports which of its run's MCP servers do not work. No I/O.

Sources: the logs of opencode 1.18, gemini-cli 0.61 and qwen-code 0.24, the notices and SDK messages of
claude-agent-acp 0.101, and the tool calls of codex-acp 2.6 that stand for a start.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from sidecar.subagents.runners.acp.updates.notices import log
from sidecar.subagents.runners.output.unmet import unmet

Event = dict[str, Any]

_LINES = (
    re.compile(r'"server unavailable" key=(?P<name>"[^"]{1,200}"|\S{1,200}) [^\n]{0,200}status=(?P<why>\S+)'),
    re.compile(r"Error during discovery for MCP server '(?P<name>[^'\n]{1,200})': (?P<why>[^\n]{0,2000})"),
    re.compile(r"MCP server '(?P<name>[^'\n]{1,200})' (?P<why>requires auth|rejected stored)[^\n]{0,200}"),
    re.compile(r"MCP server\(s\) failed to start: (?P<names>[^\n]{1,2000}?)\. Continuing"),
)
"""What opencode, gemini and qwen log; qwen names several in one line."""
_NOTICE = re.compile(r'MCP server "(?P<name>[^"\n]{1,200})" (?P<why>failed to start|needs authentication)')
"""The title of claude's notice."""
_STARTUP = "mcp_startup."
"""How the IDs of codex's tool calls begin that report a start; the name and a random part follow."""
_ERROR_OBJECT = re.compile(r" _?[A-Z]\w{0,60}Error: .*")
_STATES = {
    "failed": None,
    "failed to start": None,
    "needs_auth": "needs authentication",
    "needs_client_registration": "needs a registered client",
    "requires auth": "needs authentication",
    "rejected stored": "needs authentication",
}
"""Words that stand for a state; the first two say nothing about the cause."""
_LINE_CHARS = 4_000
_CLAUDE_STATES = {
    "failed": None,
    "needs-auth": "needs authentication",
    "pending": "it had not answered when the agent began",
}
"""The states that claude reports for a server when a turn starts, besides `connected`."""
_CLAUDE_NO_TOOLS = "it lists no tools"
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
"""What claude replaces with `_` in the name of a server, in the names of its tools."""


class ServerFailures:
    """Yield one event for each of the servers `names` that the agent reports as failed."""

    def __init__(self, names: Collection[str] = ()) -> None:
        self._waiting = set(names)
        self._unexplained: set[str] = set()
        """The servers that were reported without a cause."""
        self._line = ""

    def stderr(self, text: str) -> Iterator[Event]:
        """Process a piece of stderr, which may end inside a line."""
        *lines, rest = (self._line + text).split("\n")
        self._line = rest[-_LINE_CHARS:]
        for line in lines if self._waiting else ():
            for pattern in _LINES:
                if found := pattern.search(line):
                    yield from self._named(found.groupdict())

    def update(self, update: Mapping[str, Any]) -> Iterator[Event]:
        """Process a `session/update`."""
        title = update.get("title")
        if update.get("sessionUpdate") == "notice" and isinstance(title, str):
            if found := _NOTICE.match(title):
                yield from self._named(found.groupdict())
        elif is_startup(update):
            name = unquote(str(update["toolCallId"])[len(_STARTUP) :].rpartition(".")[0])
            yield from self._started(name, update)

    def known(self, failed: Mapping[str, str]) -> Iterator[Event]:
        """Process the servers that the agent names when it is asked, each with its state or error."""
        for name, why in failed.items():
            yield from self._failed(name, _STATES.get(why, why))

    def claude_message(self, message: Any) -> Iterator[Event]:
        """Process an SDK message of claude: at the start of a turn it has the servers and the tools."""
        if not isinstance(message, Mapping) or message.get("subtype") != "init":
            return
        servers, tools = message.get("mcp_servers"), message.get("tools")
        if not isinstance(servers, list) or not isinstance(tools, list):
            return
        for name, status in (
            (each.get("name"), each.get("status")) for each in servers if isinstance(each, dict)
        ):
            if not isinstance(name, str) or not isinstance(status, str):
                continue
            if status != "connected":
                yield from self._failed(name, _CLAUDE_STATES.get(status, status))
            elif not any(str(tool).startswith(_claude_prefix(name)) for tool in tools):
                yield from self._failed(name, _CLAUDE_NO_TOOLS)

    def _started(self, name: str, update: Mapping[str, Any]) -> Iterator[Event]:
        if update.get("status") != "failed":
            return
        text = _text_of(update)
        if name in self._waiting:
            yield from self._failed(name, text.rpartition(f"`{name}` failed to start: ")[2])
        else:  # a server of the user's own configuration, which is not in the run's list
            yield log(text)

    def _named(self, found: Mapping[str, str | None]) -> Iterator[Event]:
        if names := found.get("names"):
            for name in names.split(", "):
                yield from self._failed(name, None)
            return
        why = _ERROR_OBJECT.sub("", found.get("why") or "")
        yield from self._failed((found.get("name") or "").strip('"'), _STATES.get(why, why))

    def _failed(self, name: str, reason: str | None) -> Iterator[Event]:
        is_new = name in self._waiting
        if not is_new and not (reason and name in self._unexplained):
            return
        self._waiting.discard(name)
        self._unexplained.discard(name)
        if not reason:
            self._unexplained.add(name)
        yield unmet("mcpServer", name, reason=reason)


def _claude_prefix(server: str) -> str:
    """Return how the names of a server's tools begin in claude."""
    return f"mcp__{_NOT_IN_A_NAME.sub('_', server)}__"


def is_startup(update: Mapping[str, Any]) -> bool:
    """Return whether a tool call is none of the model's: codex reports the failed start of a server."""
    return str(update.get("toolCallId")).startswith(_STARTUP)


def _text_of(call: Mapping[str, Any]) -> str:
    """Return the texts of a tool call's content."""
    content = call.get("content")
    parts = [each.get("content") for each in content if isinstance(each, Mapping)] if content else []
    return " ".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))
