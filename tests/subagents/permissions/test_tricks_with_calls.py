"""Calls whose kind, title or address says something else than what they do."""

from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.permissions.policy import decide
from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.acp.updates.question import question_of

Json = dict[str, Any]

URLS = [
    *("https://evil.example/", "https://evil.example@example.com/", "https://example.com@evil.example/"),
    *(
        "https://example.com:443@evil.example/",
        "https://evil.example\\@example.com/",
        "https:\\\\example.com/",
    ),
    *("https://example.com\\.evil.example/", "https://example.com.evil.example/", "https://evilexample.com/"),
    *(
        "https://evil.example/#@example.com",
        "https://evil.example?@example.com/",
        "https://evil.example#.example.com",
    ),
    *(
        "https://example.com\t.evil.example/",
        "https://exam\nple.com/",
        "https://example.com\n.evil.example/",
        " https://example.com/",
    ),
    *("https://example.com\0.evil.example", "https://example.com%2eevil.example/", "https://example%2ecom/"),
    *(
        "https://example.com%00.evil.example/",
        "https://ex\u00ademple.com/",
        "https://example\u3002com/",
        "https://\uff45xample.com/",
    ),
    *(
        "https://example.com\u2215@evil.example/",
        "https://ex\u0430mple.com/",
        "https://example.com\uff0fevil.example/",
    ),
    *(
        "https:///example.com/",
        "https:example.com",
        "https:/example.com",
        "//example.com/",
        "example.com",
        "http:example.com",
    ),
    *(
        "ftp://example.com/",
        "file://example.com/etc/passwd",
        "data:text/html,example.com",
        "javascript://example.com/%0aalert",
    ),
    *(
        "gopher://example.com/",
        "ws://example.com/",
        "view-source:https://example.com",
        "blob:https://example.com/x",
    ),
    *(
        "https://example.com:0/",
        "https://example.com:99999/",
        "https://example.com:x/",
        "https://[::1]/",
        "https://[example.com]/",
    ),
    *(
        "http://127.1/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "https://example.com./",
        "https://.example.com/",
    ),
    *(
        "https://user:pw@example.com/",
        "https://@example.com/",
        "https://example.com:@x/",
        "",
        "x" * 10_000,
        "https://example.com/\ud800",
    ),
    *(
        "https://sub.example.com/",
        "https://example.co/",
        "https://example.com:443.evil.example/",
        "https://xn--exmple-cua.com/",
    ),
    *("https://evil.example/https://example.com/", "https://evil.example/?u=https://example.com"),
]
"""Addresses that do not, or not for every reader, lead to `example.com`."""

FETCHES: list[Json] = [
    *({"url": url} for url in URLS),
    *({"uri": url} for url in URLS[:6]),
    {"url": "https://example.com", "urls": ["https://evil.example"]},
    {"url": "https://example.com", "uri": "https://evil.example"},
    {"url": "https://example.com", "proxy": "http://evil.example"},
    {"url": "https://example.com", "options": {"proxy": {"server": "socks5://evil.example:1"}}},
    {"url": "https://example.com", "headers": {"Referer": "x"}, "redirect": "https://evil.example"},
    {"url": "https://example.com", "prompt": "Fetch https://evil.example/x too"},
    {"url": "https://example.com", "proxy": "evil.example:8080"},
    {"url": "https://example.com", "proxy": "x"},
    {"url": "https://example.com", "headers": {"Host": "evil.example"}},
    {"url": "https://example.com", "resolve": "example.com:443:10.0.0.1"},
    {"url": "https://example.com", "method": "DELETE"},
    {"url": "https://example.com", "output_path": "/etc/x"},
    {"url": "https://example.com", "save_to": "~/x"},
    {"url": "https://example.com", "x": "/etc/passwd"},
    {"url": "https://example.com", "body_file": "secret"},
    {"url": "https://example.com", "command": "rm x"},
    {"url": {"href": "https://example.com"}},
    {"url": ["https://example.com", "https://evil.example"]},
    {"prompt": "https://evil.example"},
    {"query": "example.com"},
    {},
]

MISLABELED: list[tuple[str, Json]] = [
    ("Read", {"kind": "execute", "title": "Read", "rawInput": {"command": "rm x"}}),
    ("Read", {"kind": "read", "title": "Read", "rawInput": {"command": "rm x"}}),
    ("Read", {"kind": "read", "rawInput": {"path": "a", "cmd": "rm x"}}),
    ("Read", {"kind": "read", "rawInput": {"path": "a", "input": {"script": "rm x"}}}),
    ("Read", {"kind": "read", "rawInput": {"url": "https://evil.example"}}),
    ("Read", {"kind": "read", "rawInput": {"path": "a", "content": "x"}}),
    ("Read", {"kind": "read", "rawInput": {"file_path": "a", "old_string": "x", "new_string": "y"}}),
    ("Read", {"kind": "read", "rawInput": {"file_path": "a", "newText": "y"}}),
    ("Read", {"kind": "read", "rawInput": {"file_path": "a", "patch": "*** Begin Patch"}}),
    ("Read", {"kind": "read", "content": [{"type": "diff", "path": "a", "newText": "x"}]}),
    ("Grep", {"kind": "search", "rawInput": {"pattern": "a", "replacement": "b"}}),
    ("Grep", {"kind": "search", "content": [{"type": "diff", "path": "a", "oldText": "", "newText": "x"}]}),
    ("think", {"kind": "think", "rawInput": {"command": "rm x"}}),
    ("think", {"kind": "think", "content": [{"type": "diff", "path": "a", "newText": "x"}]}),
    ("Read", {"kind": "edit", "title": "read_file"}),
    ("Read", {"kind": "delete", "title": "Read"}),
    ("Read", {"kind": "move", "title": "Read"}),
    ("Read", {"kind": "fetch", "title": "Read"}),
    ("Read", {"kind": "switch_mode", "title": "Read"}),
    ("Read", {"kind": "other", "title": "Read; rm -rf ~"}),
    ("Read", {"kind": "other", "title": "Read\nrm"}),
    ("Read", {"kind": "other", "title": "\u200bRead"}),
    ("Read", {"kind": "other", "title": "Rea\u0501"}),
    ("Read", {"kind": "other", "title": "Read", "name": "rm"}),
    ("Read", {"kind": "READ ", "title": "Run it"}),
    ("Read", {"kind": "other", "title": "Read", "rawInput": {"command": "rm x"}}),
    ("Read", {"kind": "execute", "name": "Read"}),
    ("Read", {"kind": "edit", "name": "read_file"}),
    ("Edit", {"kind": "execute", "name": "Edit", "rawInput": {"path": "a"}}),
    ("Edit", {"kind": "edit", "rawInput": {"path": "a", "command": "rm x"}}),
    ("Bash(git *)", {"kind": "execute", "title": "git log"}),
    ("Bash(git *)", {"kind": "execute", "title": "git log", "rawInput": {"command": "rm x"}}),
    ("Bash(git *)", {"kind": "execute", "rawInput": {"command": "rm x", "description": "git log"}}),
    ("Bash(git *)", {"kind": "other", "title": "bash", "rawInput": {"input": "git log"}}),
    ("mcp__a__*", {"kind": "execute", "title": "mcp__a__x"}),
    ("mcp__a__*", {"kind": "other", "title": "mcp__b__x"}),
    ("mcp__a__*", {"kind": "other", "name": "mcp__b__x", "title": "mcp__a__x"}),
    ("mcp__a__*", {"kind": "other", "title": "mcp__a__x y"}),
]


@pytest.mark.parametrize("raw", FETCHES)
def test_no_spelling_of_an_address_passes_a_rule_for_a_host(raw: Json, tmp_path: Path) -> None:
    question = question_of({"kind": "fetch", "title": "https://example.com", "rawInput": raw}, [])
    assert not ToolRule((("WebFetch(domain:example.com)",),)).allows(question, tmp_path)


@pytest.mark.parametrize(("rule", "call"), MISLABELED)
def test_a_label_does_not_pass_a_list(rule: str, call: Json, tmp_path: Path) -> None:
    assert not ToolRule(((rule,),)).allows(question_of(call, []), tmp_path)


@pytest.mark.parametrize("call", [call for rule, call in MISLABELED if rule in ("Read", "Grep", "think")])
def test_a_label_does_not_make_a_read(call: Json, tmp_path: Path) -> None:
    assert decide("allowReads", question_of(call, []), tmp_path) == "ask"


@pytest.mark.parametrize(
    ("rule", "kind", "raw"),
    [
        (
            "WebFetch(domain:example.com)",
            "fetch",
            {"url": "https://example.com/a?b=/c", "prompt": "Sum /it/ up"},
        ),
        (
            "WebFetch(domain:example.com)",
            "fetch",
            {"url": "https://example.com", "prompt": "Read https://example.com/a."},
        ),
        (
            "WebFetch(domain:*.example.com)",
            "fetch",
            {"url": "https://docs.example.com", "format": "markdown"},
        ),
        ("Grep", "search", {"pattern": "x", "output_mode": "content", "path": "."}),
        ("Read", "read", {"file_path": "a", "limit": 5}),
        ("think", "think", {"todos": [{"content": "x", "status": "pending"}]}),
    ],
)
def test_ordinary_calls_pass(rule: str, kind: str, raw: Json, tmp_path: Path) -> None:
    assert ToolRule(((rule,),)).allows(question_of({"kind": kind, "rawInput": raw}, []), tmp_path)
