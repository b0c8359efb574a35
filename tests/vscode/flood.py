"""A subagent that has much to say: its prompt ends with a kind and a number.

`messages 20` and `message 20` are 20 MB, in messages of 1 KB or in a single one, `calls 4000` as many tool
calls, `reads 120` as many calls with an output of 60 KB each, `links 400` as many messages of 6 KB that show
a few words each, `emphasis 20000` as many words of which each is emphasized, `code 20000` as many that are
code, and `table 2000` a table of as many rows and 9 columns. It prints at full speed, LAST at the end;
`endless 0` runs until it is killed.
"""

import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

LAST = "That was the last line."
_WORDS = "It reads **lines**, `names` and [links](https://example.com/a) of the *whole* tree. "
_COLUMNS = 9
_ROW = "| a " * _COLUMNS + "|\n"
_RULE = "| --- " * _COLUMNS + "|\n"


def main(kind: str, amount: int) -> None:
    """Print the events of a kind of flood."""
    for event in _events(kind, amount):
        sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def _events(kind: str, amount: int) -> Iterable[dict[str, Any]]:
    match kind:
        case "messages":
            return itertools.chain(_messages(range(amount * 1_000)), [_message(LAST)])
        case "message":
            return [_message(_WORDS * (amount * 1_000_000 // len(_WORDS)) + LAST)]
        case "calls":
            return itertools.chain(_calls(amount), [_message(LAST)])
        case "reads":
            return itertools.chain(_calls(amount, 60_000 // len(_WORDS)), [_message(LAST)])
        case "links":
            return itertools.chain(map(_link, range(amount)), [_message(LAST)])
        case "emphasis":
            return [_message("*a* " * amount + "\n\n" + LAST)]
        case "code":
            return [_message("`a` " * amount + "\n\n" + LAST)]
        case "table":
            return [_message(_ROW + _RULE + _ROW * amount + "\n" + LAST)]
        case "endless":
            return _messages(itertools.count())
        case _:
            raise SystemExit(f"{kind}: no such flood")


def _messages(numbers: Iterable[int]) -> Iterator[dict[str, Any]]:
    for number in numbers:
        yield _message(f"\n\n### Part {number}\n\n" + _WORDS * 12)


def _message(text: str) -> dict[str, Any]:
    return {"type": "message", "text": text}


def _link(number: int) -> dict[str, Any]:
    return _message(f"### Part {number}\n\n[its source](https://example.com/{'a' * 6_000})\n\n")


def _calls(count: int, repeats: int = 30) -> Iterator[dict[str, Any]]:
    for number in range(count):
        call = {"type": "tool", "toolCallId": str(number), "name": "read"}
        yield {**call, "status": "started", "input": {"path": f"src/file{number}.py"}}
        yield {**call, "status": "completed", "output": _WORDS * repeats}


_kind, _amount = sys.stdin.read().split()[-2:]
main(_kind, int(_amount))
