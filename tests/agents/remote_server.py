"""A server of the Model Context Protocol on 127.0.0.1 with one tool, `echo`, over HTTP or SSE."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

Transport = Literal["http", "sse"]
_PATHS = {"http": "/mcp", "sse": "/sse"}


class RemoteServer:
    """A server that needs the key as a bearer token. `calls` are the texts that its tool got."""

    def __init__(self, transport: Transport, key: str) -> None:
        self.calls: list[str] = []
        self.refused = 0
        self._key = key
        self._path = _PATHS[transport]
        server = MCPServer("echo")

        @server.tool()
        def echo(text: str) -> str:
            """Return the text."""
            self.calls.append(text)
            return f"echo: {text}"

        app = server.streamable_http_app() if transport == "http" else server.sse_app()
        config = uvicorn.Config(self._guarded(app), port=0, log_level="warning", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)

    @property
    def url(self) -> str:
        """Where it listens."""
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}{self._path}"

    @contextmanager
    def running(self) -> Iterator["RemoteServer"]:
        """Serve in a thread."""
        started = threading.Event()
        announced = self._server.startup

        async def startup(*arguments: Any, **more: Any) -> None:
            await announced(*arguments, **more)
            started.set()

        self._server.startup = startup  # type: ignore[method-assign]
        thread = threading.Thread(target=self._server.run, name="remote server")
        thread.start()
        try:
            assert started.wait(30), "it does not start"
            yield self
        finally:
            self._server.should_exit = True
            thread.join(30)

    def _guarded(self, app: ASGIApp) -> ASGIApp:
        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            wanted = (b"authorization", f"Bearer {self._key}".encode())
            if scope["type"] != "http" or wanted in scope["headers"]:
                await app(scope, receive, send)
                return
            self.refused += 1
            await JSONResponse({"error": "unauthorized"}, 401)(scope, receive, send)

        return guarded
