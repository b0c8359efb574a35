"""What a row remembers of its session's records, to find sessions that share some of them. Pure."""

import sys
from array import array
from collections.abc import Iterable
from itertools import chain
from typing import Final
from zlib import crc32

import msgspec

from sidecar.history.stores.claude.facts import Facts
from sidecar.history.stores.claude.fold import FileFold

_HASH: Final = "I"
"""32 bits: two records of a million have the same by chance, which only costs a closer look."""
_LENGTH: Final = len("c8fc6ad6-c202-476f-b754-61092007e993")
_DASHES: Final = (8, 13, 18, 23)
_DIGITS: Final = 8
"""How many digits of a uuid have as many bits as a hash."""
_WORDS: Final = 4
"""How many times as many bits as a hash a uuid has."""


class Links(msgspec.Struct, array_like=True, gc=False):
    """The records of one file as hashes, and what other sessions need to know of it."""

    starts: bytes = b""
    """Records and answers at which a copy in another file may start."""
    records: bytes = b""
    """All records and answers."""
    end: str = ""
    """The time of the last record, in a form that sorts."""
    parent: str | None = None
    """The session that a subagent belongs to by its folder or records; empty if they name none."""
    leaves: list[tuple[int, str]] = []
    """Titles of the sessions that hold a record with this hash."""
    named: bool = False
    """Whether the session has a name of its own, which a summary in another file does not replace."""
    never_copied: str = ""
    """The time of the first record that no other session copies, in a form that sorts; empty without one."""
    is_first: bool = False
    """Whether that record is older than all others, which a copied record would be."""
    is_branch: bool = False
    """Whether the first record says that it is a copy."""


def links_of(fold: FileFold, parent: str | None) -> Links:
    """Return the links of a file from its facts."""
    threads = [fold.main.facts, *(thread.facts for thread in fold.sidechains.values())]
    answers = [crc32(key.encode("utf-8", "replace")) for facts in threads for key in answers_of(facts)]
    uuids = [*chain.from_iterable(facts.uuids for facts in threads)]
    titles = fold.main.facts.titles
    held = set(uuids) if titles.summaries else set()
    foreign = [(hash_of(leaf), text) for leaf, text in titles.summaries if leaf not in held]
    return Links(
        starts=_packed([hash_of(start) for facts in threads for start in facts.starts] + answers[:1]),
        records=_packed_uuids(uuids) + _packed(answers),
        end=max(facts.end for facts in threads),
        parent=parent,
        leaves=foreign,
        named=bool(titles.custom or titles.ai or len(foreign) < len(titles.summaries)),
        never_copied=(never := fold.main.facts.never_copied),
        is_first=bool(never) and never <= (fold.main.facts.start or never),
        is_branch=fold.main.facts.is_branch,
    )


def answers_of(facts: Facts) -> Iterable[str]:
    """Return the keys of all answers in a thread, including copied ones."""
    return (*facts.answers, *facts.copied_answers)


def hash_of(uuid: str) -> int:
    """Return 32 bits of the ID of a record: its first and last 8 digits combined, else a checksum.

    Both are needed: a UUID of version 7 starts with a time, one of version 1 ends with the machine.
    """
    try:
        ends = bytes.fromhex(uuid[:_DIGITS] + uuid[-_DIGITS:] if _has_form(uuid) else "")
    except ValueError:
        ends = b""
    if len(ends) != _DIGITS:
        return crc32(uuid.encode("utf-8", "replace"))
    return int.from_bytes(ends[:4]) ^ int.from_bytes(ends[4:])


def _has_form(uuid: str) -> bool:
    return len(uuid) == _LENGTH and all(uuid[place] == "-" for place in _DASHES)


def hash_of_answer(key: str) -> int:
    """Return 32 bits of the key of an answer."""
    return crc32(key.encode("utf-8", "replace"))


def hashes(packed: bytes) -> "array[int]":
    """Unpack hashes."""
    found = array(_HASH)
    found.frombytes(packed)
    return found


def _packed(values: Iterable[int]) -> bytes:
    return array(_HASH, values).tobytes()


def _packed_uuids(uuids: list[str]) -> bytes:
    """Hash many IDs, in a tenth of the time if all are uuids."""
    words = _words(uuids)
    if words is None:
        return _packed(map(hash_of, uuids))
    firsts, lasts = (int.from_bytes(words[place::_WORDS].tobytes(), "little") for place in (0, _WORDS - 1))
    found = array(_HASH, (firsts ^ lasts).to_bytes(len(uuids) * words.itemsize, "little"))
    if sys.byteorder == "little":
        found.byteswap()
    return found.tobytes()


def _words(uuids: list[str]) -> "array[int] | None":
    """Return the bits of uuids in pieces of 32; None if an ID has another form.

    Converts all of them at once: cutting each text takes longer.
    """
    count, step = len(uuids), _LENGTH + 1
    together = "\n".join(uuids).encode("utf-8", "replace")
    if len(together) != step * count - 1 or together[_LENGTH::step] != b"\n" * (count - 1):
        return None
    if any(together[place::step] != b"-" * count for place in _DASHES):
        return None
    try:
        digits = bytes.fromhex(together.replace(b"-", b"").decode())
    except ValueError:
        return None
    return array(_HASH, digits) if len(digits) == count * _WORDS * 4 else None
