"""Bytes of any kind, and the lines that parsers themselves do not tell."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.subagents.definitions import formats
from sidecar.subagents.definitions.formats import Format
from sidecar.subagents.definitions.json_file import split_json
from sidecar.subagents.definitions.model import Malformed
from sidecar.subagents.definitions.parsing import MAX_BYTES, parse_definition
from sidecar.subagents.definitions.toml_file import split_toml
from tests.bounded import bounded

FOREIGN = [
    formats.CLAUDE,
    formats.COPILOT,
    formats.GEMINI,
    formats.CODEX,
    formats.CURSOR,
    formats.LLXPRT,
]
SEED = {
    ".md": b"---\nname: a\ndescription: b: c\ntools: [x]\n---\nbody\n",
    ".agent.md": b"---\nname: a\ndescription: b\n---\nbody\n",
    ".toml": b'name = "a"\ndescription = "b"\ndeveloper_instructions = """\nx = 1\n"""\n[t]\nu = 2\n',
    ".json": b'{"name": "a",\n "systemPrompt": "b", "x": [1, {"y": null}]}\n',
}


@pytest.mark.parametrize("form", FOREIGN, ids=lambda form: form.name)
@settings(max_examples=60)
@given(noise=st.binary(max_size=40), start=st.integers(0, 60), end=st.integers(0, 60))
def test_any_bytes_give_a_definition_or_a_reason(form: Format, noise: bytes, start: int, end: int) -> None:
    seed = SEED[form.suffix]
    definition, problems = parse_definition(seed[:start] + noise + seed[end:], f"x{form.suffix}", form)
    assert definition is not None or problems
    lines = (seed + noise).count(b"\n") + 2
    assert all(problem.line is None or 1 <= problem.line <= lines for problem in problems)


KEYS = st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), unique=True, max_size=6)
TEXTS = st.text(st.sampled_from(['"', "'", "\n", "#", "a", "=", " ", "[", "]", "\\"]), max_size=12)


@settings(max_examples=80)
@given(
    keys=KEYS, texts=st.lists(TEXTS, min_size=6, max_size=6), gap=st.sampled_from(["", "\n", "\n# x = 1\n"])
)
def test_each_key_of_toml_is_found_on_its_line(keys: list[str], texts: list[str], gap: str) -> None:
    document, expected = "", {}
    for key, text in zip(keys, texts, strict=False):
        document += gap
        expected[key] = document.count("\n") + 1
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        document += f'{key} = """{escaped}"""\n'
    assert {member.key: member.line for member in split_toml(document).members} == expected


@pytest.mark.slow
@settings(max_examples=80)
@given(
    members=st.dictionaries(st.text(max_size=4), st.recursive(st.text(max_size=4) | st.integers(), st.lists)),
    indent=st.sampled_from([None, 0, 2]),
)
def test_each_member_of_json_is_found_on_its_line(members: dict[str, object], indent: int | None) -> None:
    text = "\n" + json.dumps(members, indent=indent)
    for member in split_json(text).members:
        assert member.line is not None
        assert json.dumps(member.key) in text.split("\n")[member.line - 1]
        assert member.read() == members[member.key]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a = 1\n[b.c]\na = 2\n[[d]]\n", {"a": 1, "b": 2, "d": 4}),
        ('a.x = 1\n"b" = """\n\nc = 1"""\nc = 2\n', {"a": 1, "b": 2, "c": 5}),
        ("a = [\n  [1, 2],\n  ['b = 3'],\n]\nb = 4 # c = 5\n", {"a": 1, "b": 5}),
        ("a = ''' \" '''\nb = '\"\"\"'\nc = \"'''\"\nd = 1", {"a": 1, "b": 2, "c": 3, "d": 4}),
    ],
)
def test_keys_of_toml_in_tables_and_texts(text: str, lines: dict[str, int]) -> None:
    assert {member.key: member.line for member in split_toml(text).members} == lines


@pytest.mark.parametrize("form", FOREIGN, ids=lambda form: form.name)
def test_a_large_file_is_refused_unread(form: Format) -> None:
    definition, (problem,) = parse_definition(b"a" * (MAX_BYTES + 1), "x", form)
    assert definition is None
    assert problem.message == "the file is larger than 256 KiB; shorten its prompt"


@pytest.mark.parametrize("form", FOREIGN, ids=lambda form: form.name)
def test_bytes_that_are_not_utf_8_are_reported_with_their_line(form: Format) -> None:
    definition, (problem,) = parse_definition(b"---\nname: \xff\n---\n", "x", form)
    assert definition is None
    assert (problem.line, problem.message[:9]) == (2, "not UTF-8")


@pytest.mark.parametrize(
    "line",
    [
        "a." * 40_000 + "b = 1",
        "a . " * 20_000 + "b = 1",
        "[" + '"a".' * 20_000 + "b]",
        '"""' + '\\"""' * 20_000,
    ],
    ids=["key", "spaces", "table", "quotes"],
)
@pytest.mark.timeout(20)
def test_no_key_holds_the_parser_for_long(line: str) -> None:
    with pytest.raises(Malformed):
        split_toml(f"x = 1\n{line}\n")


def test_prose_with_many_stops_is_not_a_deep_key() -> None:
    prose = "No. " * 50
    members = split_toml(f'a = "{prose}"\nb = """\n{prose}"""\nc = 1 # {prose}\n').members
    assert [member.key for member in members] == ["a", "b", "c"]


def test_a_malformed_file_says_where() -> None:
    with pytest.raises(Malformed) as caught:
        split_toml("a = 1\nb = \n")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (formats.CLAUDE, f"---\nname: a\ndescription: d\ntools: '{',' * 16_000}'\n---\n"),
        (formats.CLAUDE, f"---\nname: a\ndescription: d\ntools: '{'(,' * 7_000}'\n---\n"),
        (formats.CODEX, f'name = "a"\nx = [\n[0x{"a" * 200_000}\n]]\n'),
    ],
)
def test_no_text_that_reaches_an_expression_takes_long(form: Format, text: str) -> None:
    with bounded():
        parse_definition(text.encode(), "x", form)
