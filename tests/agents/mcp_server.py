"""A server of the Model Context Protocol on stdio with one tool, `echo`, that returns its `text`.

`mcp_server.py [CALLS]` writes calls of the tool to a file. `mcp_server.py refuse|ignore|die METHOD` answers a
method with an error, with nothing or by its exit, and `list-nothing` has no tools.
"""

import json
import sys
from pathlib import Path
from typing import Any

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
ECHO = {"name": "echo", "description": "Return the text.", "inputSchema": SCHEMA}


def result_of(message: dict[str, Any]) -> Any:
    match message["method"]:
        case "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "echo", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [] if sys.argv[1:] == ["list-nothing"] else [ECHO]}
        case "tools/call":
            if len(sys.argv) > 1:
                Path(sys.argv[1]).write_text(json.dumps(message["params"]))
            text = f"echo: {message['params']['arguments']['text']}"
            return {"content": [{"type": "text", "text": text}]}
    return {}


def reply_to(message: dict[str, Any]) -> dict[str, Any] | None:
    match sys.argv[1:]:
        case ["refuse", method] if method == message["method"]:
            return {"error": {"code": -32603, "message": "the index is broken"}}
        case ["ignore", method] if method == message["method"]:
            return None
        case ["die", method] if method == message["method"]:
            sys.exit(3)
    return {"result": result_of(message)}


if __name__ == "__main__":
    for line in sys.stdin:
        received = json.loads(line)
        if "id" in received and "method" in received and (reply := reply_to(received)) is not None:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": received["id"], **reply}) + "\n")
            sys.stdout.flush()
