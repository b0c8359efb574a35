"""JSON that is nearly valid, and bytes that are not JSON at all; the codes are the expected problems."""

import gzip
from pathlib import Path
from random import Random

from tests.generator.hostile import API_BYTES, DONE, PROMPT, UI_BYTES, hostile, put, text

_FIRST, _SECOND = text(PROMPT), text(DONE)


@hostile("badUtf8", "notMessages")
def bytes_at_random(folder: Path) -> None:
    put(folder, ui=Random(1).randbytes(300_000))


@hostile("padding", "badUtf8", "notMessages")
def packed(folder: Path) -> None:
    put(folder, ui=gzip.compress(UI_BYTES, mtime=0))


@hostile("padding", "malformed")
def utf_32(folder: Path) -> None:
    put(folder, ui=UI_BYTES.decode().encode("utf-32-be"))


@hostile("badUtf8")
def overlong_utf_8(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b"Find", b"\xc0\xaf\xf8\x88\x80\x80\x80\xfe"))


@hostile("cut", "badUtf8")
def cut_in_a_character_of_the_ui(folder: Path) -> None:
    put(folder, ui=UI_BYTES[:-2] + "日".encode()[:2])


@hostile("byteOrderMark", "notMessages")
def two_byte_order_marks(folder: Path) -> None:
    put(folder, ui=b"\xef\xbb\xbf\xef\xbb\xbf" + UI_BYTES)


@hostile()
def windows_line_ends_and_tabs(folder: Path) -> None:
    put(folder, ui=b"[\r\n\t" + _FIRST + b",\r\n\t" + _SECOND + b"\r\n]\r\n")


@hostile("malformed")
def a_comma_too_many(folder: Path) -> None:
    put(folder, ui=UI_BYTES[:-1] + b",]")


@hostile("malformed")
def commas_in_front(folder: Path) -> None:
    put(folder, ui=b"[,,," + UI_BYTES[1:])


@hostile("malformed")
def comments(folder: Path) -> None:
    put(folder, ui=b"[/* first */" + _FIRST + b", // second\n" + _SECOND + b"]")


@hostile("malformed")
def single_quotes(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b'"', b"'"))


@hostile("notMessages")
def a_message_a_line(folder: Path) -> None:
    put(folder, ui=_FIRST + b"\n" + _SECOND + b"\n")


@hostile("malformed")
def no_comma_between(folder: Path) -> None:
    put(folder, ui=b"[" + _FIRST + b"\n" + _SECOND + b"]")


@hostile("malformed")
def an_array_in_an_array(folder: Path) -> None:
    put(folder, ui=b"[" + UI_BYTES + b"]")


@hostile("malformed")
def empty_arrays_by_the_thousand(folder: Path) -> None:
    put(folder, ui=b"[" + b"[]," * 200_000 + b"[]]")


@hostile()
def objects_nested_too_deep(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b'"text":""', b'"text":' + b'{"a":' * 60_000 + b"1" + b"}" * 60_000))


@hostile("cut")
def openings_that_alternate(folder: Path) -> None:
    put(folder, ui=b'[{"a":' * 100_000)


@hostile()
def one_key_again_and_again(folder: Path) -> None:
    put(folder, ui=b"[{" + b'"text":"x",' * 100_000 + _FIRST[1:] + b"]")


@hostile()
def very_many_keys(folder: Path) -> None:
    keys = b",".join(b'"k%d":%d' % (n, n) for n in range(60_000))
    put(folder, ui=b"[{" + keys + b"," + _FIRST[1:] + b"]")


@hostile()
def a_key_of_a_megabyte(folder: Path) -> None:
    put(folder, ui=b'[{"' + b"k" * 1_000_000 + b'":1,' + _FIRST[1:] + b"]")


@hostile()
def keys_in_escapes(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b'"text"', b'"\\u0074\\u0065xt"'))


@hostile("malformed")
def an_escape_that_is_none(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b"Find", b"\\x46ind"))


@hostile("cut")
def half_an_escape_at_the_end(folder: Path) -> None:
    put(folder, ui=UI_BYTES[:-40] + b"\\ud8")


@hostile("malformed")
def numbers_of_other_languages(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b'"ts":1770000000000', b'"ts":0x19c,"n":007,"p":+1,"q":.5', 1))


@hostile("malformed")
def words_of_other_languages(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b'"type":"say"', b'"partial":True,"x":undefined,"type":"say"', 1))


@hostile("malformed")
def zero_bytes_between(folder: Path) -> None:
    put(folder, ui=b"[" + _FIRST + b",\0\0\0" + _SECOND + b"]")


@hostile("malformed")
def zero_bytes_inside_a_text(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b"Find", b"Fi\0nd"))


@hostile("padding", "cut")
def a_block_of_zeros_over_the_end(folder: Path) -> None:
    put(folder, ui=UI_BYTES[:-50] + b"\0" * 4_096)


@hostile("notMessages")
def wrapped_in_a_later_version(folder: Path) -> None:
    put(folder, api=b'{"version":3,"extra":{},"messages":' + API_BYTES + b"}")


@hostile("notMessages")
def wrapped_around_nothing(folder: Path) -> None:
    put(folder, api=b'{"version":2,"messages":null}')


@hostile("notMessages")
def wrapped_in_wrappers(folder: Path) -> None:
    put(folder, api=b'{"messages":{"messages":' + API_BYTES + b"}}")


@hostile("cut")
def half_overwritten_by_a_longer_version(folder: Path) -> None:
    put(folder, ui=UI_BYTES[:60] + text([dict(PROMPT, text="x" * 500), DONE])[40:])


@hostile("malformed")
def half_a_million_commas(folder: Path) -> None:
    put(folder, ui=b"[" + b"," * 500_000 + b"]")


@hostile("malformed")
def half_a_million_quotes(folder: Path) -> None:
    put(folder, ui=b"[" + b'"' * 500_000 + b"]")


@hostile("notMessages")
def half_a_million_closings(folder: Path) -> None:
    put(folder, ui=b"]" * 500_000)


@hostile("malformed")
def broken_messages_by_the_thousand(folder: Path) -> None:
    put(folder, ui=b"[" + _FIRST + b"," + b'{"a" 1},' * 100_000 + _SECOND + b"]")


@hostile()
def half_characters_by_the_thousand(folder: Path) -> None:
    put(folder, ui=b"[" + b",".join([_FIRST.replace(b"Find", b"\\ud83d")] * 8_000) + b"]")
