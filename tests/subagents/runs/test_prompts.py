import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runs.prompts import build_prompt


def test_a_prompt_is_system_text_then_goal_then_behavior() -> None:
    prompt = build_prompt("You review.\n", "Read it.", ["Be kind.", "Be quick."])
    assert prompt == "You review.\n\nRead it.\nBe kind.\nBe quick."


def test_without_system_text_the_goal_comes_first() -> None:
    assert build_prompt("\n", "Read it.") == "Read it."


def test_placeholders_are_filled_everywhere() -> None:
    prompt = build_prompt("As ${role}", "See ${path}", ["Mind ${path}."], {"role": "R", "path": "a b"})
    assert prompt == "As R\n\nSee a b\nMind a b."


def test_values_that_are_not_text_are_filled_in_as_json() -> None:
    assert (
        build_prompt("", "${n} ${ok} ${list}", (), {"n": 1.5, "ok": True, "list": ["ä"]}) == '1.5 true ["ä"]'
    )


def test_an_unknown_placeholder_stays() -> None:
    assert build_prompt("", "${HOME} $x ${} ${a", (), {}) == "${HOME} $x ${} ${a"


def test_a_filled_in_value_is_not_searched_again() -> None:
    prompt = build_prompt("", "${a}", (), {"a": "${b}", "b": "secret"})
    assert prompt == '${b}\n\nContext:\n{\n  "b": "secret"\n}'


def test_unused_context_follows_untouched() -> None:
    context = {"Größe": " x\n", "n": [1, {"k": None}], "used": "here"}
    prompt = build_prompt("Body", "Go ${used}", (), context)
    head, block = prompt.split("\n\nContext:\n")
    assert head == "Body\n\nGo here"
    assert json.loads(block) == {"Größe": " x\n", "n": [1, {"k": None}]}
    assert "Größe" in block


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.text(st.characters()), VALUES, min_size=1, max_size=4))
def test_every_unused_value_comes_back_and_can_be_sent(context: dict[str, Any]) -> None:
    prompt = build_prompt("", "Go", (), context)
    assert json.loads(prompt.removeprefix("Go\n\nContext:\n")) == context
    prompt.encode()


def test_a_lone_surrogate_is_escaped_in_the_block() -> None:
    prompt = build_prompt("", "Go", (), {"half": "\ud83d"})
    assert prompt.endswith('{\n  "half": "\\ud83d"\n}')
