"""A server of the Model Context Protocol on 127.0.0.1 with one tool, `echo`, over HTTP or SSE.

`remote_server.py http|sse KEY` needs the key as a bearer token. It prints its address, then a line for each
call of its tool, with the text, and for each refused request.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Transport = Literal["http", "sse"]
REFUSED = "refused"


class RemoteServer:
    """A server in a process of its own, since the SDK leaves streams open that its clients abandon."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        self._output = process.stdout
        self._process = process
        self.url = self._output.readline().strip()

    def end(self) -> list[str]:
        """End the server and return what its tool was called with, and `REFUSED` for each refused request."""
        self._process.terminate()
        self._process.wait(30)
        return self._output.read().splitlines()

    @classmethod
    @contextmanager
    def running(cls, transport: Transport, key: str) -> Iterator["RemoteServer"]:
        """Start a server, which listens when this returns."""
        command = [sys.executable, "-m", "tests.agents.remote_server", transport, key]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield cls(process)
            finally:
                process.kill()


def serve(transport: str, key: str) -> None:
    import uvicorn
    from mcp.server.mcpserver import MCPServer
    from starlette.responses import JSONResponse
    from starlette.types import Receive, Scope, Send

    server = MCPServer("echo")

    @server.tool()
    def echo(text: str) -> str:
        """Return the text."""
        tell(text)
        return f"echo: {text}"

    app = server.streamable_http_app() if transport == "http" else server.sse_app()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (b"authorization", f"Bearer {key}".encode()) in scope["headers"]:
            await app(scope, receive, send)
            return
        tell(REFUSED)
        await JSONResponse({"error": "unauthorized"}, 401)(scope, receive, send)

    config = uvicorn.Config(guarded, port=0, log_level="critical", timeout_graceful_shutdown=1)
    listening = config.bind_socket()
    tell(f"http://127.0.0.1:{listening.getsockname()[1]}/{'mcp' if transport == 'http' else 'sse'}")
    uvicorn.Server(config).run([listening])


def tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve(*sys.argv[1:])
