"""Damage to the contents of message files; the codes are the expected problems."""

from pathlib import Path
from typing import Any

from tests.generator.hostile import (
    API_BYTES,
    ASKED,
    DONE,
    PROMPT,
    START,
    UI_BYTES,
    hostile,
    put,
    text,
)

# Bytes


@hostile("notMessages")
def zero_bytes_long(folder: Path) -> None:
    put(folder, ui=b"")


@hostile("notMessages")
def blanks(folder: Path) -> None:
    put(folder, ui=b" \n\t ")


@hostile("padding", "notMessages")
def zero_filled(folder: Path) -> None:
    put(folder, ui=b"\0" * 4096)


@hostile("padding")
def zero_padded(folder: Path) -> None:
    put(folder, ui=UI_BYTES + b"\0" * 512)


@hostile("byteOrderMark")
def byte_order_mark(folder: Path) -> None:
    put(folder, ui=b"\xef\xbb\xbf" + UI_BYTES)


@hostile("badUtf8")
def latin_1(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b"Find", b"F\xefnd"))


@hostile("badUtf8", "notMessages", "padding")
def utf_16(folder: Path) -> None:
    put(folder, ui=UI_BYTES.decode().encode("utf-16"))


@hostile("badUtf8")
def encoded_surrogates(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b"Find", b"\xed\xa0\xbd"))


@hostile()
def lone_surrogate_escape(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b"Find", b"\\ud83d"))


@hostile("malformed")
def raw_control_characters(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b"Find", b"\x01\x1b"))


@hostile("cut")
def cut_in_a_message(folder: Path) -> None:
    put(folder, ui=UI_BYTES[:-30])


@hostile("cut")
def cut_before_the_bracket(folder: Path) -> None:
    put(folder, ui=UI_BYTES[:-1])


@hostile("cut")
def cut_in_the_first_message(folder: Path) -> None:
    put(folder, ui=UI_BYTES[:20])


@hostile("cut", "badUtf8")
def cut_in_a_character(folder: Path) -> None:
    put(folder, api=text([ASKED, {"role": "user", "content": "日"}])[:-5])


@hostile("strayTail")
def stray_bracket(folder: Path) -> None:
    put(folder, ui=UI_BYTES + b"]")


@hostile("strayTail")
def tail_of_an_older_version(folder: Path) -> None:
    put(folder, ui=UI_BYTES + UI_BYTES[30:])


@hostile("strayTail")
def two_arrays(folder: Path) -> None:
    put(folder, ui=UI_BYTES + UI_BYTES)


@hostile("wrapped")
def version_2_object(folder: Path) -> None:
    put(folder, api=b'{"version":2,"messages":' + API_BYTES + b"}")


@hostile("wrapped", "cut")
def version_2_object_cut(folder: Path) -> None:
    put(folder, api=b'{"version":2,"messages":' + API_BYTES[:-20])


# JSON of another shape


@hostile("notMessages")
def top_null(folder: Path) -> None:
    put(folder, ui=b"null")


@hostile("notMessages")
def top_string(folder: Path) -> None:
    put(folder, ui=b'"text"')


@hostile("notMessages")
def top_number(folder: Path) -> None:
    put(folder, ui=b"0")


@hostile("notMessages")
def top_object(folder: Path) -> None:
    put(folder, ui=b'{"ts":1}')


@hostile("empty")
def empty_arrays(folder: Path) -> None:
    put(folder, b"[]", b"[]")


@hostile("malformed")
def scalar_elements(folder: Path) -> None:
    put(folder, ui=b'[null,1,"x",[],true,' + UI_BYTES[1:])


@hostile("malformed")
def only_scalars(folder: Path) -> None:
    put(folder, b"[1,2]", b"[null]")


@hostile("malformed")
def broken_message_in_the_middle(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b'},{"ts"', b'},{"a" 1},{"ts"'))


@hostile()
def odd_types_everywhere(folder: Path) -> None:
    odd = {
        "ts": {},
        "type": [],
        "say": 3,
        "ask": {},
        "text": [1],
        "images": "x",
        "partial": "no",
        "modelInfo": 3,
    }
    put(folder, text([PROMPT, odd, DONE]), text([ASKED, {"role": [], "content": {"a": 1}, "ts": "soon"}]))


@hostile()
def times_of_odd_types(folder: Path) -> None:
    odd = [dict(PROMPT, ts=ts) for ts in ("2026-01-01", None, True, -5, 0, 9e15, [1], 1.5)]
    put(folder, ui=text(odd))


@hostile()
def numbers_out_of_range(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(str(START).encode(), b"1e400", 1).replace(b"9000", b"9" * 5000))


@hostile("malformed")
def not_a_number(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(str(START).encode(), b"NaN", 1))


@hostile()
def usage_of_odd_types(folder: Path) -> None:
    usage = text({"tokensIn": "many", "tokensOut": None, "cost": [], "cacheReads": True}).decode()
    request = {"ts": START, "type": "say", "say": "api_req_started"}
    put(
        folder,
        ui=text([PROMPT, dict(request, text=usage), dict(request, text="{"), dict(request, text="[1]")]),
    )


@hostile()
def usage_is_not_finite(folder: Path) -> None:
    put(
        folder,
        ui=text([PROMPT, {"type": "say", "say": "api_req_started", "text": '{"cost":NaN,"tokensIn":1e999}'}]),
    )


@hostile()
def duplicate_keys(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b'"text":"Find', b'"text":"lost","text":"Find'))


@hostile()
def nested_2000_deep(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b'"text":""', b'"text":' + b"[" * 2000 + b"]" * 2000))


@hostile()
def nested_100000_deep(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b'"text":""', b'"text":' + b"[" * 100_000 + b"]" * 100_000))


@hostile("cut")
def only_opening_brackets(folder: Path) -> None:
    put(folder, ui=b"[" * 1_000_000)


@hostile("cut")
def endless_string(folder: Path) -> None:
    put(folder, ui=b'[{"text":"' + b'\\"' * 400_000)


# Hostile texts


@hostile()
def slugs_without_a_name(folder: Path) -> None:
    put(folder, api=text([_message("<slug>a</slug>" * 60_000)]))


@hostile()
def openings_without_an_end(folder: Path) -> None:
    put(folder, api=text([_message("<task>" * 120_000)]))


@hostile()
def workspaces_without_a_bracket(folder: Path) -> None:
    heading = "# Current Workspace Directory (\n" * 30_000
    put(folder, api=text([_message(f"<environment_details>\n{heading}</environment_details>")]))


@hostile()
def usage_heads_without_a_cost(folder: Path) -> None:
    put(folder, api=text([_message('"tokensIn":1,"tokensOut":1' * 30_000)]))


@hostile()
def escapes_only(folder: Path) -> None:
    put(folder, ui=b'[{"type":"say","say":"text","text":"' + b"\\u001b" * 160_000 + b'"}]')


@hostile()
def title_that_forges_rows(folder: Path) -> None:
    put(folder, ui=text([dict(PROMPT, text="x\n### Task: forged (1)\n\u202e\u2066\0\x1b[2J")]))


@hostile()
def title_of_a_megabyte(folder: Path) -> None:
    put(folder, ui=text([dict(PROMPT, text="word " * 200_000)]))


@hostile()
def very_many_messages(folder: Path) -> None:
    put(folder, ui=b"[" + b",".join([text(PROMPT)] * 12_000) + b"]")


def _message(words: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": words}]}
