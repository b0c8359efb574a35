"""Which server an address leads to, as every reader of addresses understands it."""

import pytest

from sidecar.subagents.permissions.web_address import WebAddress, parse


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("https://Example.com/a?b#c", WebAddress("https", "example.com", None)),
        ("http://example.com:80", WebAddress("http", "example.com", None)),
        ("https://example.com:8443/", WebAddress("https", "example.com", 8443)),
        ("https://example.com/a@b", WebAddress("https", "example.com", None)),
        ("https://127.0.0.1/", WebAddress("https", "127.0.0.1", None)),
    ],
)
def test_a_plain_address_has_a_server(url: str, server: WebAddress) -> None:
    assert parse(url) == server


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.test\\@example.com/",
        "https://example.com@evil.test/",
        "https://example.com\t.evil.test/",
        "http://evil.test\n@example.com/",
        " https://example.com/",
        "https:/example.com",
        "ftp://example.com/",
        "file:///etc/passwd",
        "https://0x7f.1/",
        "https://ex%61mple.com/",
        "https://example.com:99999/",
        f"https://example.com/{'a' * 5_000}",
        "",
    ],
)
def test_an_address_in_doubt_has_none(url: str) -> None:
    assert parse(url) is None
