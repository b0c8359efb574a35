"""Node, which most agents run on, reads an address with a known server in the same way."""

import json
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.subagents.permissions.web_address import parse

_READ = """
const read = (url) => {
  try {
    const { protocol, hostname, port } = new URL(url);
    return [protocol, hostname, port];
  } catch {
    return null;
  }
};
const urls = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(urls.map(read)));
"""
_PARTS = [
    *("//", "/", "\\", "?", "#", "@", ":", ".", "-", "_", "%2e", "0", "0x", "08", "1.2"),
    *("example.com", "EXAMPLE.com", "evil.test", "127.0.0.1", "0x7f.1", "[::1]", "xn--nxa", "xn--", "a" * 64),
    *(" ", "\t", "\n", "\0", "\u3000", "\u3002", "\uff0f", "\u00ad", "ä", ":80", ":443", ":99999", ":0"),
]
addresses = st.builds(
    lambda scheme, parts: scheme + "".join(parts),
    st.sampled_from(["https://", "http://", "HTTPS://", "https:", "ftp://"]),
    st.lists(st.sampled_from(_PARTS), max_size=5),
)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.lists(addresses, min_size=300, max_size=600, unique=True))
def test_node_finds_the_same_server_or_none(urls: list[str]) -> None:
    known = {url: server for url in urls if (server := parse(url)) is not None}
    node = subprocess.run(
        ["node", "-e", _READ], input=json.dumps(list(known)), stdout=subprocess.PIPE, text=True, timeout=30
    )
    for server, read in zip(known.values(), json.loads(node.stdout), strict=True):
        port = "" if server.port is None else str(server.port)
        assert read in (None, [f"{server.scheme}:", server.host, port])
