from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from sidecar.subagents.runners.builtin.model.compaction import chars, compacted

Messages = list[ModelMessage]


def asked(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart([text])])


def step(number: int, result: str, words: str = "", argument: str = "a") -> Messages:
    """An answer of the model with a call, and the result of the call."""
    call = ToolCallPart(tool_name="f", args={"path": "p", "text": argument}, tool_call_id=f"c{number}")
    returned = ToolReturnPart(tool_name="f", content=result, tool_call_id=f"c{number}")
    return [ModelResponse(parts=[TextPart(words), call]), ModelRequest(parts=[returned])]


def parts(messages: Sequence[ModelMessage], kind: type[Any]) -> list[Any]:
    return [part for message in messages for part in message.parts if isinstance(part, kind)]


def test_a_short_conversation_stays_unchanged() -> None:
    messages = [asked("go"), *step(1, "x" * 1_000)]
    assert compacted(messages, 0) == messages
    assert compacted(messages, -5) == messages


def test_the_oldest_results_are_removed_first_and_only_as_needed() -> None:
    messages = [asked("go"), *step(1, "short"), *step(2, "b" * 1_000), *step(3, "c" * 1_000), *step(4, "d")]
    shorter = compacted(messages, 500)
    results = [part.content for part in parts(shorter, ToolReturnPart)]
    assert results == [
        "short",
        "[left out to save room; call the tool again if it is needed]",
        "c" * 1_000,
        "d",
    ]
    assert [part.tool_call_id for part in parts(shorter, ToolReturnPart)] == ["c1", "c2", "c3", "c4"]


def test_then_long_arguments_are_removed_and_short_ones_stay() -> None:
    messages = [asked("go"), *step(1, "a", argument="x" * 1_000), *step(2, "b", argument="y" * 1_000)]
    first, newest = parts(compacted(messages, 700), ToolCallPart)
    assert first.args_as_dict()["path"] == "p"
    assert first.args_as_dict()["text"].startswith("[left out")
    assert newest.args_as_dict()["text"] == "y" * 1_000


def test_then_a_note_replaces_whole_steps_with_their_results() -> None:
    messages = [asked("one"), *step(1, "a", "w" * 900), asked("two"), *step(2, "b", "v" * 900), *step(3, "c")]
    shorter = compacted(messages, 1_500)
    texts = [part.content for part in parts(shorter, UserPromptPart)]
    note = "[Earlier steps of this work are left out to save room.]"
    assert texts == [["one"], note, ["two"], note]
    assert [part.tool_call_id for part in parts(shorter, ToolCallPart)] == ["c3"]
    assert compacted(shorter, 10) != messages


def test_finally_the_newest_result_is_cut_to_a_minimum() -> None:
    messages = [asked("go"), *step(1, "x" * 50_000)]
    (result,) = parts(compacted(messages, 40_000), ToolReturnPart)
    assert len(result.content) <= 10_000
    assert result.content.endswith("[cut to fit the context window; ask for a smaller part]")
    (least,) = parts(compacted(messages, 60_000), ToolReturnPart)
    assert len(least.content) > 2_000


_TEXT = st.integers(0, 3_000).map(lambda size: "t" * size)
_TURNS = st.lists(
    st.tuples(_TEXT, st.lists(st.tuples(_TEXT, _TEXT, _TEXT), max_size=4)), min_size=1, max_size=4
)


@given(turns=_TURNS, excess=st.integers(-100, 30_000))
def test_a_shortened_conversation_is_valid(
    turns: list[tuple[str, list[tuple[str, str, str]]]], excess: int
) -> None:
    messages: Messages = []
    for prompt, steps in turns:
        messages.append(asked(prompt))
        for result, words, argument in steps:
            messages.extend(step(len(messages), result, words, argument))
    shorter = compacted(messages, excess)
    assert chars(shorter) <= chars(messages) + 60 * len(turns)  # a note may be longer than what it replaces
    open_calls: list[str] = []
    for message in shorter:
        if isinstance(message, ModelResponse):
            assert not open_calls
            open_calls = [part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)]
        else:
            answered = [part.tool_call_id for part in message.parts if isinstance(part, ToolReturnPart)]
            assert answered == open_calls
            open_calls = []
    prompts = [part.content for part in parts(shorter, UserPromptPart) if isinstance(part.content, list)]
    assert prompts == [[prompt] for prompt, _ in turns]
    assert shorter[-1].parts
