"""What commands print: any output becomes events that can be stored, the same ones however it is cut."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, Literal

from sidecar.subagents.journal.codec import encode
from sidecar.subagents.runners.command.events import parse_event
from sidecar.subagents.runners.command.output import command_output
from tests.fuzz.targets.seeding import in_pieces, written

SEEDS = written(
    {
        "text": "Reading 3 files …\nDone: 😀\r\n\x1b[31mred\x1b[0m".encode(),
        "events": b'{"type":"message","text":"hi"}\n'
        b'{"type":"tool","name":"read","status":"started","toolCallId":"1"}\n'
        b'{"type":"emit","name":"answer","value":{"a":[1,2]}}\n{"type":"usage","inputTokens":3,"cost":0.5}\n'
        b'{"type":"result","text":"done"}\n',
        "mixed": b'start\n  {"type":"message","text":"a"}\nmore {"type":"message"}\n{"type":"nope"}\nlast',
        "half_a_character": b'{"type":"message","text":"\\ud83d"}\n'
        b'{"type":"emit","name":"\\ude00","value":"\\ud83d"}\n',
        "figures": b'{"type":"usage","inputTokens":1e999,"outputTokens":-1,"cost":NaN}\n'
        b'{"type":"usage","cost":1}\n',
        "duplicates": b'{"type":"message","type":"tool","text":"a","text":1}\n',
    }
)
_FORMATS: tuple[Literal["text", "events"], ...] = ("text", "events")


def read(data: bytes) -> None:
    """Read an output whole and in pieces, in both formats."""
    for line in data.splitlines():
        encode(parse_event(line))
    for form in _FORMATS:
        assert _read(form, [data]) == _read(form, in_pieces(data))


def _read(form: Literal["text", "events"], pieces: Iterable[bytes]) -> tuple[list[Any], str | None]:
    output = command_output(form)
    events = [event for piece in pieces for event in output.feed(piece)] + list(output.finish())
    encode([events, dict(output.emitted_vars)])
    return _joined(events), output.final_message()


def _joined(events: Iterable[dict[str, Any]]) -> list[Any]:
    """Put the pieces of a message together: where they are cut depends on the pipe."""
    joined: list[Any] = []
    for message_id, group in groupby(events, lambda event: event.get("messageId")):
        if message_id is None:
            joined += group
        else:
            joined.append("".join(event.get("text", "") for event in group))
    return joined
