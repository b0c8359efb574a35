"""Outputs are found in an agent's text, split anywhere, and the rest of the text is unchanged."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.subagents.runners.output import outputs
from sidecar.subagents.runners.output.output_prompts import remind_of_outputs, request_outputs
from sidecar.subagents.runners.output.outputs import OutputBlocks


def read(*pieces: str) -> tuple[str, list[dict[str, Any]]]:
    blocks = OutputBlocks()
    parts = [part for piece in pieces for part in blocks.feed(piece)] + list(blocks.finish())
    return "".join(p for p in parts if isinstance(p, str)), [p for p in parts if not isinstance(p, str)]


@pytest.mark.parametrize(
    "block",
    [
        '```outputs\n{"n": 3, "why": "x"}\n```\n',
        '```outputs\n{"n": 3, "why": "x"}\n```',
        '   ```` Outputs \r\n{"n": 3,\r\n "why": "x"}\r\n````\r\n',
        '```outputs\n\n{"n": 3,\n\n"why": "x"}\n\n`````\n',
    ],
)
def test_a_block_becomes_its_object_and_not_text(block: str) -> None:
    assert read(f"before\n{block}") == ("before\n", [{"n": 3, "why": "x"}])


@pytest.mark.parametrize(
    "text",
    [
        "```outputs\n{broken\n```\n",
        "```outputs\n{}\n```\n",
        "```outputs\n[1]\n```\n",
        '```outputs\n{"n": 3}\n',
        '```json\n{"n": 3}\n```\n',
        'say ```outputs\n{"n": 3}\n```\n',
        '````outputs\n{"n": 3}\n```\n',
        '```outputs\n{"n": ' + "[" * 300 + "]" * 300 + "}\n```\n",
        "```out",
        "",
    ],
)
def test_anything_else_stays_unchanged_text(text: str) -> None:
    assert read(text) == (text, [])


def test_a_repeated_request_for_outputs_is_not_an_output() -> None:
    for text in (request_outputs({"n": "how\nmany", "why": "x"}), remind_of_outputs(["n"])):
        assert read(text) == (text, [])
    assert "- n: how many\n" in request_outputs({"n": "how\nmany"})


def test_text_is_buffered_only_if_it_may_become_a_block() -> None:
    blocks = OutputBlocks()
    assert list(blocks.feed("word")) == ["word"]
    assert list(blocks.feed(" ")) == [" "]
    assert list(blocks.feed("``")) == ["``"]
    assert list(blocks.feed("\n``")) == ["\n"]
    assert list(blocks.feed("x")) == ["``x"]


def test_an_unclosed_block_becomes_text_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "BLOCK_CHARS", 100)
    text = "```outputs\n" + "x" * 200
    blocks = OutputBlocks()
    assert "".join(str(part) for part in blocks.feed(text)) == text


@given(
    st.text(st.sampled_from('`outps \n\r{}"n:1\u2028'), max_size=60), st.lists(st.integers(0, 60), max_size=6)
)
@settings(max_examples=150)
def test_text_and_blocks_do_not_depend_on_the_split(text: str, cuts: list[int]) -> None:
    whole = text + '\n```outputs\n{"n": 1}\n```\nend' + text
    places = sorted(cuts)
    pieces = [whole[start:end] for start, end in zip([0, *places], [*places, len(whole)], strict=True)]
    assert read(*pieces) == read(whole)
