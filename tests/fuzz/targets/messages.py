"""JSON-RPC messages: every body is a message or is rejected, and can be answered."""

from sidecar.rpc.messages import Rejected, Request, Response, is_message_id, parse_message
from sidecar.rpc.transport.encoding import encode_json
from tests.fuzz.targets.seeding import written

SEEDS = written(
    {
        "request": b'{"jsonrpc":"2.0","id":1,"method":"tasks/list","params":{"sort":"cost","limit":20}}',
        "notification": b'{"jsonrpc":"2.0","method":"initialized"}',
        "result": b'{"jsonrpc":"2.0","id":"a","result":{"tasks":[]}}',
        "error": b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no","data":[1,2.5,null]}}',
        "large_id": b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"a"}',
        "half_a_character": b'{"jsonrpc":"2.0","id":"\\ud83d","method":"a\\ude00","params":["\\ud83d"]}',
        "batch": b'[{"jsonrpc":"2.0","method":"a"}]',
        "nested": b'{"jsonrpc":"2.0","id":1,"method":"a","params":' + b"[" * 300 + b"]" * 300 + b"}",
    }
)


def read(data: bytes) -> None:
    """Parse a body, and encode what an answer to it repeats."""
    message = parse_message(data)
    if isinstance(message, Request):
        assert is_message_id(message.id) and isinstance(message.method, str)
    if isinstance(message, Response):
        assert message.error is None or message.result is None
    if isinstance(message, Rejected):
        assert encode_json(
            {"id": message.id, "error": {"code": message.error.code, "message": str(message.error)}}
        )
    elif isinstance(message, Request | Response):
        assert encode_json({"id": message.id})
