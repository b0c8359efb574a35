"""A minimal JSON-RPC server in Python: asyncio streams and orjson, without any checks."""

import asyncio
import sys

import orjson


async def serve() -> None:
    """Answer each request on stdin with its own params until the input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    output, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, sys.stdout.buffer)
    while True:
        try:
            header = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return
        request = orjson.loads(await reader.readexactly(int(header[len("Content-Length: ") :])))
        body = orjson.dumps({"jsonrpc": "2.0", "id": request["id"], "result": request["params"]})
        output.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


if __name__ == "__main__":
    asyncio.run(serve())
