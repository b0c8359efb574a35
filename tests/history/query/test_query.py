import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import Mode, TaskInfo, TokenUsage
from sidecar.history.query import QueryError, compile_query, needed_files, parse_query
from sidecar.history.query.fields import FIELDS

NOW = 1_776_254_400_000
HOUR, DAY = 3_600_000, 86_400_000


def row(**more: Any) -> TaskInfo:
    values: dict[str, Any] = {
        "id": "3f2b8c1e-0000-4000-8000-000000000000",
        "title": "Fix the login test",
        "status": "failed",
        "outcome": "failed",
        "mode": Mode(current="code", name="💻 Code"),
        "token_usage": TokenUsage(total=30_000, cost=0.75),
        "workspace_dir": "C:\\work\\Atlas",
        "model": "anthropic/claude-sonnet-4",
        "message_count": 12,
        "size_bytes": 2_000_000,
        "created_at": NOW - 3 * DAY,
        "last_activity": NOW - 2 * DAY,
        "duration": DAY,
        "parent_id": "aaaa1111",
        "root": "/r",
        "product": "roo",
        "problems": [],
    }
    return TaskInfo(**values | more)


def kept(query: str, **more: Any) -> bool:
    return compile_query(parse_query(query), NOW)(row(**more))


@pytest.mark.parametrize(
    "query",
    [
        "",
        " \t",
        "login",
        "LOGIN fix",
        "login AND fix",
        '"the login"',
        "3f2b8c1e",
        "code",
        "atlas",
        "status:failed",
        "STATUS:Failed",
        "status:completed,failed",
        "mode:code",
        "mode:architect,code",
        'mode:"💻 code"',
        "product:roo",
        "workspace:atlas",
        "workspace:work/atlas",
        'workspace:"c:\\work"',
        "model:sonnet",
        "parent:aaaa",
        "cost:0.75",
        "cost>0.5",
        "cost:>0.5",
        "cost:>=.75",
        "cost<1",
        "cost<=0.75",
        "cost=0.75",
        "cost:1,0.75",
        "tokens>29k",
        "tokens<1M",
        "messages=12",
        "size>1MB",
        "size<2mb",
        "title:LOGIN",
        'title:draft,"the login"',
        "id:3f2b8c1e",
        "id:3F2B",
        "3F2B8C",
        "3f2b8c1e-0000-4000-8000-000000000000",
        "outcome:failed",
        "root:/r",
        "root:roo-cline,/R",
        "created:2026-04-12",
        "created=2026-04-12",
        "created>2026-04-11",
        "created>=2026-04-12",
        "created<=2026-04-12",
        "created<2026-04-12T23:00:00+00:00",
        "created:3d",
        "created>2d",
        "created<=3d",
        "active:2d",
        "active<3d",
        "active>=2d",
        "active:2026-04-01,2d",
        "duration>23h",
        "duration:1d",
        "duration<=24h",
        "duration>=1440m",
        "duration=86400s",
        "since:3d",
        "since:1w",
        "until:47h",
        "until:2880m",
        "since:2026-04-13",
        "until:2026-04-13",
        "until:2026-04-13T12:00:00+00:00",
        "-draft",
        "NOT draft",
        "NOT NOT login",
        "-status:active login",
        "draft OR login",
        "draft OR (login fix)",
        "-(draft OR paging)",
        "draft OR paging OR login",
        "a OR b login OR fix",
    ],
)
def test_these_queries_keep_the_row(query: str) -> None:
    assert kept(query)


@pytest.mark.parametrize(
    "query",
    [
        "draft",
        "login draft",
        '"login the"',
        "status:active",
        "mode:cod",
        "product:kilo",
        "workspace:beta",
        "cost>0.75",
        "cost<0.75",
        "tokens:>30k",
        "title:paging",
        "title:3f2b",
        "id:2b8c",
        "3f2b",
        "2b8c1e-0000",
        "40",
        "outcome:waiting",
        "root:/other",
        "created:2026-04-13",
        "created>2026-04-12",
        "created<2026-04-12",
        "created>3d",
        "active<2d",
        "active:1d",
        "duration>24h",
        "duration<1d",
        "duration:2h",
        "since:1d",
        "until:3d",
        "until:2026-04-12",
        "-login",
        "NOT (login OR draft)",
        "login -(fix)",
        "http://example.com",
        "c:\\elsewhere",
        "a=b",
    ],
)
def test_these_queries_drop_it(query: str) -> None:
    assert not kept(query)


@pytest.mark.parametrize("word", ["waiting", "cancelled", "streaming", "delegated", "interrupted"])
def test_status_takes_the_finer_outcomes(word: Any) -> None:
    assert kept(f"status:{word}", outcome=word) and not kept(f"status:{word}")


@pytest.mark.parametrize(
    "query",
    [
        "cost>=0",
        "cost<1",
        "tokens=0",
        "messages<9",
        "since:9d",
        "until:1h",
        "active<9d",
        "created>2020-01-01",
        "duration<9d",
    ],
)
def test_an_unknown_value_compares_with_nothing(query: str) -> None:
    bare = dict.fromkeys(("token_usage", "message_count", "created_at", "last_activity", "duration"))
    assert not kept(query, **bare) and kept(f"-{query}", **bare)


@pytest.mark.parametrize(
    ("query", "position", "expected"),
    [
        ("(login", 6, "closing parenthesis"),
        ("login)", 5, "was not opened"),
        ("()", 1, "a term"),
        ("a OR", 4, "a term"),
        ("OR a", 0, "a term"),
        ("a AND AND b", 6, "a term"),
        ("NOT", 3, "a term"),
        ('say "hello', 10, "closing quote"),
        ("status:", 7, "a value for status"),
        ("status:failed,", 14, "a value for status"),
        ("status: failed", 7, "a value for status"),
        ("status:bogus", 7, "one of active, completed"),
        ("product:emacs", 8, "one of roo, zoo"),
        ("color:red", 0, "status, mode"),
        ("cost>much", 5, "a number"),
        ("cost:>", 6, "a value for cost"),
        ("status>failed", 6, "':'"),
        ("outcome:done", 8, "one of completed, failed"),
        ("title>x", 5, "':'"),
        ("id:", 3, "a value for id"),
        ("created:yesterday", 8, "ISO date"),
        ("duration>5", 9, "a time span"),
        ("since:yesterday", 6, "ISO date"),
        ("since:9999-99-99", 6, "ISO date"),
        ("until:1d,2d", 9, "a single time"),
        ("(" * 40 + "a" + ")" * 40, 32, "32 nested"),
        ("a" * 5_000, 4_096, "4096 characters"),
    ],
)
def test_an_error_is_reported_with_its_position(query: str, position: int, expected: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(query)
    assert (caught.value.data["position"], caught.value.code) == (position, -32602)
    assert expected in caught.value.data["expected"]


def test_an_unknown_field_is_refused_with_all_that_are_known() -> None:
    with pytest.raises(QueryError) as caught:
        parse_query("color:red")
    assert all(field in caught.value.data["expected"] for field in FIELDS)


def test_the_extension_knows_every_field() -> None:
    source = (Path(__file__).parents[3] / "client-ts" / "src" / "text" / "queryText.ts").read_text()
    assert f'"{"|".join(FIELDS)}"' in source
    help_text = (Path(__file__).parents[3] / "client-ts" / "src" / "reports" / "queryHelp.ts").read_text()
    assert [field for field in FIELDS if not re.search(rf"`{field}[:<>]", help_text)] == []


def test_the_files_a_query_asks_for_are_named() -> None:
    node = parse_query("a -(file:Src\\A.py OR file:b,c) status:failed")
    assert needed_files(node) == {"src/a.py", "b", "c"}


def test_a_file_is_judged_by_who_touched_it() -> None:
    node = parse_query("file:a.py,b.py")
    task = row()
    keys = frozenset({(task.root, task.id)})
    assert compile_query(node, NOW, {"a.py": frozenset(), "b.py": keys})(task)
    assert not compile_query(node, NOW, {"a.py": frozenset(), "b.py": frozenset()})(task)


WORDS = st.sampled_from(
    ["(", ")", "-", "OR", "AND", "NOT", '"', "status:", "failed", ",", "cost>", "0.5", "since:7d", " ", "é"]
)


@settings(max_examples=200)
@given(st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=25).map("".join)))
def test_any_text_is_a_query_or_an_error_within_it(text: str) -> None:
    try:
        keeps = compile_query(parse_query(text), NOW, dict.fromkeys(needed_files_of(text), frozenset()))
    except QueryError as error:
        assert 0 <= error.position <= len(text) and error.expected
    else:
        assert keeps(row()) in (True, False)


def needed_files_of(text: str) -> set[str]:
    return needed_files(parse_query(text))


@pytest.mark.parametrize("query", ["NOT " * 1_000 + "a", "-a " * 1_300, "a OR " * 800 + "a", '"' * 4_095])
def test_long_queries_are_read_at_once(query: str) -> None:
    try:
        compile_query(parse_query(query), NOW)(row())
    except QueryError as error:
        assert error.position <= len(query)


@settings(max_examples=100)
@given(a=st.sampled_from(["login", "draft"]), b=st.sampled_from(["fix", "paging"]), negate=st.booleans())
def test_negation_and_grouping_obey_de_morgan(a: str, b: str, negate: bool) -> None:
    assert kept(f"-({a} OR {b})") == kept(f"-{a} -{b}")
    assert kept(f"-({a} {b})") == kept(f"-{a} OR -{b}")
