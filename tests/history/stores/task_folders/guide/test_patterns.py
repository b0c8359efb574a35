import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.history.stores.task_folders.guide import patterns

LINE = r"[^\n\r\u2028\u2029]"
MODE = re.compile(rf"<slug>({LINE}*?)</slug>[\s\S]*?<name>({LINE}*?)</name>")
USAGE = re.compile(rf'"tokensIn":([0-9]+),"tokensOut":([0-9]+){LINE}*?"cost":([0-9.]+)')
WORKSPACE = re.compile(r"Current Workspace Directory \(([^)]+)\)")
TASK = re.compile(r"<task>(.*?)</task>", re.DOTALL)
PIECES = [
    "<slug>",
    "</slug>",
    "<name>",
    "</name>",
    "<task>",
    "</task>",
    "a",
    "(",
    ")",
    "\n",
    "\r",
    "\u2028",
    "1",
    ".",
]
PIECES += [
    '"tokensIn":',
    ',"tokensOut":',
    '"tokensIn":1,"tokensOut":2',
    '"cost":',
    "Current Workspace Directory (",
]
BAITS = ["<slug>a</slug>", "<slug>", "<slug>\n", "<name>", "<task>", '"tokensIn":1,"tokensOut":2', '"cost":']
BAITS += [
    "Current Workspace Directory (",
    "Current Workspace Directory ()",
    '"tokensIn":1,"tokensOut":2\n"cost":3',
]

texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def groups(pattern: re.Pattern[str], text: str) -> tuple[str, ...] | None:
    match = pattern.search(text)
    return match.groups() if match else None


@settings(max_examples=400, deadline=None)
@given(texts)
def test_a_mode_is_what_the_expression_captures(text: str) -> None:
    assert patterns.find_mode(text) == groups(MODE, text)


@settings(max_examples=400, deadline=None)
@given(texts)
def test_a_usage_is_what_the_expression_captures(text: str) -> None:
    assert patterns.find_usage(text) == groups(USAGE, text)


@settings(max_examples=300, deadline=None)
@given(texts)
def test_a_workspace_is_what_the_expression_captures(text: str) -> None:
    found = patterns.find_workspace(text)
    assert (found if found is None else (found,)) == groups(WORKSPACE, text)


@settings(max_examples=300, deadline=None)
@given(texts)
def test_a_task_is_what_the_expression_captures(text: str) -> None:
    found = patterns.find_task(text)
    assert (found if found is None else (found,)) == groups(TASK, text)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("bait", BAITS)
def test_a_megabyte_of_bait_is_searched_in_linear_time(bait: str) -> None:
    text = "<slug>a</slug>" + bait * (1_000_000 // len(bait))
    assert patterns.find_mode(text) is None
    patterns.find_usage(text), patterns.find_workspace(text), patterns.find_task(text)
