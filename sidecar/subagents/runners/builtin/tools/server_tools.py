"""The tools of servers, for the model of the agent."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_ai import Tool
from pydantic_ai.exceptions import ToolFailed

from sidecar.subagents.runners.builtin.reporter import Reporter
from sidecar.subagents.runners.builtin.tools.server import ToolServer
from sidecar.subagents.runners.builtin.tools.workspace import ToolError


def server_tools(servers: Iterable[ToolServer], reporter: Reporter) -> Iterator[Tool[None]]:
    """Yield the tools of started servers as `SERVER_TOOL`. Each call asks for permission."""
    for server in servers:
        for declared in server.tools:
            call = _Call(server, declared["name"], reporter)
            yield Tool.from_schema(
                call.run, call.title, declared.get("description"), dict(declared["inputSchema"])
            )


class _Call:
    def __init__(self, server: ToolServer, tool: str, reporter: Reporter) -> None:
        self.title = f"{server.name}_{tool}"
        self._server = server
        self._tool = tool
        self._reporter = reporter

    async def run(self, **arguments: Any) -> str:
        """Call the tool; return a ToolError to the model as a failed result, so that it can continue."""
        try:
            async with self._reporter.tool(self.title, "other", arguments) as call:
                await call.ask()
                call.output = await self._server.call(self._tool, arguments)
                return call.output
        except ToolError as error:
            raise ToolFailed(str(error)) from error
