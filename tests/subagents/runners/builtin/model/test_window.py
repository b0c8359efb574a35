from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.usage import RequestUsage

from sidecar.subagents.runners.builtin.model.compaction import chars
from sidecar.subagents.runners.builtin.model.window import DEFAULT_TOKENS, ContextWindow, fill


def conversation(results: int, size: int, reported: int = 0) -> list[ModelMessage]:
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart("go")])]
    for number in range(results):
        messages.append(ModelResponse(parts=[TextPart("on it")]))
        returned = ToolReturnPart(tool_name="f", content="x" * size, tool_call_id=str(number))
        messages.append(ModelRequest(parts=[returned]))
    if reported:
        answer = messages[-2]
        assert isinstance(answer, ModelResponse)
        answer.usage = RequestUsage(input_tokens=reported, output_tokens=10)
    return messages


def test_tokens_are_those_the_server_counted_and_an_estimate_of_new_messages() -> None:
    assert fill(conversation(2, 3_000, reported=5_000)) == 5_010 + 1_000
    assert fill(conversation(2, 3_000)) == 3_000 + chars(conversation(2, 3_000)) // 3


def test_nothing_is_removed_before_the_window_is_nearly_full() -> None:
    window = ContextWindow(10_000)
    roomy = conversation(4, 1_000, reported=7_600)
    assert window.fitted(roomy) == roomy
    full = conversation(10, 3_000, reported=8_500)
    fitted = window.fitted(full)
    assert chars(full) - chars(fitted) >= (8_510 + 1_000 - 5_000) * 3
    assert window.fitted(fitted) == fitted
    assert fitted[-1] == full[-1]


def test_an_unknown_window_is_assumed_to_be_small() -> None:
    assert ContextWindow(None).tokens == DEFAULT_TOKENS
    assert ContextWindow(200_000).tokens == 200_000


def test_a_window_is_learned_from_a_refusal_with_and_without_a_number() -> None:
    window, refused = ContextWindow(None), conversation(4, 6_000, reported=20_000)
    window.learn(None, refused)
    assert window.tokens == round(fill(refused) * 0.75)
    window.learn(8_192, refused)
    assert window.tokens == 8_192


def test_a_refused_conversation_is_shortened_although_it_seems_to_fit() -> None:
    window = ContextWindow(50_000)
    refused = conversation(6, 10_000)
    assert window.fitted(refused) == refused
    assert chars(window.fitted(refused, refused=True)) < chars(refused)


def test_a_server_that_reports_too_few_tokens_does_not_let_the_window_overflow() -> None:
    window, full = ContextWindow(10_000), conversation(20, 4_000, reported=12)
    assert fill(full) >= 20_000
    fitted = window.fitted(full)
    assert fill(fitted) <= 6_000
    assert window.fitted(fitted) == fitted
    assert fitted[-1] == full[-1]
