"""The revisions of the protocol, and how a request names its own."""

from collections.abc import Mapping
from typing import Any, Final

from sidecar.rpc.errors import INVALID_PARAMS, RpcError

HANDSHAKE: Final = ("2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that a client and a server agree on with `initialize`, oldest first."""
STATELESS: Final = "2026-07-28"
"""The revision in which every request names its own and there is no `initialize`."""
SUPPORTED: Final = (*HANDSHAKE, STATELESS)
BATCHES: Final = "2025-03-26"
"""The only revision in which several messages may come as one JSON array."""
UNSUPPORTED_VERSION: Final = -32022
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO_KEY: Final = "io.modelcontextprotocol/serverInfo"


def agree(asked: object) -> str:
    """Return the revision for a client's `initialize`: the requested one, else the newest."""
    return asked if isinstance(asked, str) and asked in HANDSHAKE else HANDSHAKE[-1]


def is_stateless(params: Mapping[str, Any]) -> bool:
    """Return whether a request names its own revision. Raises RpcError for one that is not supported."""
    meta = params.get("_meta")
    if not isinstance(meta, Mapping) or VERSION_KEY not in meta:
        return False
    asked = meta[VERSION_KEY]
    if asked != STATELESS:
        data = {"supported": list(SUPPORTED), "requested": str(asked)}
        raise RpcError(UNSUPPORTED_VERSION, f"protocol version {asked!r} is not supported", data)
    if not isinstance(meta.get(CAPABILITIES_KEY), Mapping):
        raise RpcError(INVALID_PARAMS, f"_meta: {CAPABILITIES_KEY} must be an object")
    return True
