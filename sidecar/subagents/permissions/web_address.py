"""Parse the server of a web address, unless parsers disagree about it.

Agents follow the WHATWG URL standard, but Python's library does not. Addresses that the two read differently
(with a backslash, white space, credentials, or an encoded or numeric host) are ambiguous.
"""

import ipaddress
import re
from typing import NamedTuple

_ADDRESS = re.compile(r"(https?)://([a-z0-9._-]+)(?::([0-9]{1,5}))?(?:[/?#].*)?", re.IGNORECASE | re.ASCII)
_DOUBTFUL = re.compile(r"[\\\s\x00-\x20\x7f-\x9f\ud800-\udfff]")
_MENTIONED = re.compile(r"(?<![a-z0-9+.-])[a-z0-9+.-]*://[^\s\"'<>]*", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_CHARS = 4_096


class WebAddress(NamedTuple):
    """A server: `host` in lower case, `port` None for the default of the scheme."""

    scheme: str
    host: str
    port: int | None

    def __str__(self) -> str:
        """Return the server as in an address, without the scheme if it is https."""
        where = self.host if self.port is None else f"{self.host}:{self.port}"
        return where if self.scheme == "https" else f"{self.scheme}://{where}"


def mentioned(text: str) -> list[str]:
    """Return the addresses in a text without trailing punctuation."""
    return [found.rstrip(".,;:!?)]}`*") for found in _MENTIONED.findall(text)]


def parse(url: str) -> WebAddress | None:
    """Return the server of an http or https address; None if it is ambiguous."""
    if len(url) > MAX_CHARS or _DOUBTFUL.search(url):
        return None
    found = _ADDRESS.fullmatch(url)
    if found is None:
        return None
    scheme, host = found[1].lower(), found[2].lower()
    port = _DEFAULT_PORTS[scheme] if found[3] is None else int(found[3])
    if not 0 < port < 65_536 or not _is_plain(host):
        return None
    return WebAddress(scheme, host, None if port == _DEFAULT_PORTS[scheme] else port)


def _is_plain(host: str) -> bool:
    """Return whether a host is not a disguised IP address, such as `0x7f.1` for 127.0.0.1."""
    labels = host.removesuffix(".").split(".")
    if not _NUMBER.fullmatch(labels[-1]):
        return True
    try:
        return str(ipaddress.IPv4Address(host)) == host
    except ValueError:
        return False
