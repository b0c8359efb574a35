"""One member of a JSON file with comments changes, and nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.cli.install import jsonc

ENTRY = {"command": "x", "args": ["a", "b"]}
TEXTS = [
    "",
    "{}",
    "{\n}\n",
    '{"a": 1}',
    '{"mcp": {}}',
    '{"mcp": {"other": {"command": "y"}}}',
    '{\n  "a": 1,\n  "mcp": {\n    "other": {\n      "k": []\n    }\n  }\n}\n',
    '// top\n{\n\t// a comment, with "quotes" and { braces\n\t"mcp": {\n\t\t/* x */\n\t\t"o": 1,\n\t},\n}\n',
    '{\r\n    "theme": "dark", // "mcp": {}\r\n    "mcp": {\r\n    }\r\n}\r\n',
    '\ufeff{"url": "http://a//b", "t": "\\"mcp\\": {", "mcp": {"a": {}, "b": {}}}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_member_is_added_and_removed_again(text: str) -> None:
    added = jsonc.insert(text, "mcp", "me", ENTRY)
    before = jsonc.parse(text)
    assert jsonc.parse(added) == {**before, "mcp": {**before.get("mcp", {}), "me": ENTRY}}
    for line in text.split("\n"):
        assert "//" not in line or line.split("//")[1] in added  # comments are still there
    removed = jsonc.remove(added, "mcp", "me")
    if before.get("mcp"):
        assert removed == text
    elif "mcp" not in before:
        assert jsonc.parse(jsonc.remove(removed, "mcp")) == before


REMOVALS = {
    '{"mcp": {\n  // none\n  "me": 1\n},}': '{"mcp": {\n  // none\n},}',
    '{"mcp": {// none\n"me": 1}}': '{"mcp": {// none\n}}',
    '{"mcp": {"me": 1 /* x */,}}': '{"mcp": {/* x */}}',
    '{"mcp": {\n  "me": 1,\n  // of o\n  "o": 2\n}}': '{"mcp": {\n  // of o\n  "o": 2\n}}',
    '{"mcp": {"me": 1, // mine\n"o": 2}}': '{"mcp": {// mine\n"o": 2}}',
    '{"mcp": {\n  "o": 2, // of o\n  "me": 1,\n}}': '{"mcp": {\n  "o": 2, // of o\n}}',
    '{"mcp": {\n  "me": 1,\n\n  "o": 2\n}}': '{"mcp": {\n\n  "o": 2\n}}',
    '{"mcp": {\n  "o": 2,\n  "me": 1\n}}': '{"mcp": {\n  "o": 2\n}}',
    '{"mcp": { "o": 2, "me": 1 }}': '{"mcp": { "o": 2 }}',
    '{"mcp": {"o": 2, // of o\n"me": 1}}': '{"mcp": {"o": 2 // of o\n}}',
}


@pytest.mark.parametrize("text", REMOVALS)
def test_a_removal_leaves_every_comment(text: str) -> None:
    removed = jsonc.remove(text, "mcp", "me")
    assert removed == REMOVALS[text]
    assert jsonc.parse(removed)["mcp"] == ({"o": 2} if '"o"' in text else {})


@pytest.mark.parametrize("text", ["// mine", "/* mine */\n", "\ufeff// mine\n", "\ufeff", " \n"])
def test_a_file_without_an_object_gets_one_below_its_comments(text: str) -> None:
    added = jsonc.insert(text, "mcp", "me", ENTRY)
    assert added.startswith(text)
    assert jsonc.parse(added) == {"mcp": {"me": ENTRY}}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(
    st.dictionaries(st.text(), json_values, max_size=4),
    st.dictionaries(st.text(), json_values, max_size=3),
    st.sampled_from([None, 1, "\t"]),
)
def test_any_file_keeps_its_other_members(
    value: dict[str, object], servers: dict[str, object], indent: int | str | None
) -> None:
    servers.pop("me", None)
    value["mcp"] = servers
    text = json.dumps(value, indent=indent)
    added = jsonc.insert(text, "mcp", "me", ENTRY)
    assert jsonc.parse(added) == {**value, "mcp": {**servers, "me": ENTRY}}
    removed = jsonc.remove(added, "mcp", "me")
    assert jsonc.parse(removed) == value
    assert removed == text or not servers


@pytest.mark.parametrize("text", ["[]", "{", "1", '{"a": }', '{"mcp": []}', "// only\n[", "[" * 100_000])
def test_anything_but_an_object_is_refused(text: str) -> None:
    with pytest.raises(jsonc.BadJson):
        jsonc.insert(text, "mcp", "me", ENTRY)
