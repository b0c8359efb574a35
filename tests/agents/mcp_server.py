"""A server of the Model Context Protocol on stdio with one tool, `echo`, that returns its `text`."""

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
            return {"tools": [ECHO]}
        case "tools/call":
            if len(sys.argv) > 1:
                Path(sys.argv[1]).write_text(json.dumps(message["params"]))
            text = f"echo: {message['params']['arguments']['text']}"
            return {"content": [{"type": "text", "text": text}]}
    return {}


if __name__ == "__main__":
    for line in sys.stdin:
        received = json.loads(line)
        if "id" in received and "method" in received:
            reply = {"jsonrpc": "2.0", "id": received["id"], "result": result_of(received)}
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()
