"""The types of attached content. Models refuse an image whose type is wrong, so the first bytes decide."""

import re
from typing import Final

IMAGE_TYPES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""The images that models support."""
HEAD_BYTES: Final = 16
"""How many bytes of a file `image_type` needs."""
_TYPE = re.compile(r"[\w!#$&^.+-]{1,100}/[\w!#$&^.+-]{1,100}(;[\x20-\x7e]{0,200})?", re.ASCII)


def is_media_type(text: str) -> bool:
    """Return whether a text names a type, such as `image/png`."""
    return _TYPE.fullmatch(text) is not None


def image_type(head: bytes) -> str | None:
    """Return the type of an image that models support, from its first bytes; None for anything else."""
    if head.startswith(b"\x89PNG"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if head.startswith(b"RIFF") and head[8:12] == b"WEBP" else None
