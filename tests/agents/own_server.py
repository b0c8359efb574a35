"""An equipped agent that runs an HTTP server for itself, as opencode does: `serve(STATES, PORTS)`.

The server answers `/mcp` with STATES, and only with the password. Where `--port` is not given or is in use,
the agent exits like opencode. PORTS is a file to which each start adds its port.
"""

import json
import os
import sys
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.agents.equipped import Agent


def http_server(port: int, password: str, states: Any) -> ThreadingHTTPServer:
    """Return the server, which answers in a thread."""
    expected = "Basic " + b64encode(f"opencode:{password}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_allowed = self.headers["Authorization"] == expected
            is_found = self.path.startswith("/mcp?directory=%2F")
            self.send_response(401 if not is_allowed else 200 if is_found else 404)
            self.end_headers()
            self.wfile.write(states if isinstance(states, bytes) else json.dumps(states).encode())

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    found = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    Thread(target=found.serve_forever, daemon=True).start()
    return found


def serve(states: Any, ports: str) -> None:
    """Be the agent."""
    port = next(int(each.partition("=")[2]) for each in sys.argv if each.startswith("--port="))
    with Path(ports).open("a") as file:
        file.write(f"{port}\n")
        is_first = file.tell() == len(f"{port}\n")
    if is_first and states is None:
        sys.exit("ServeError")
    http_server(port, os.environ["OPENCODE_SERVER_PASSWORD"], states or {})
    Agent({}).serve()
