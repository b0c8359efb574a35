from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart

from sidecar.subagents.runners.builtin.history import MAX_CHARS, bounded


def answer(text: str) -> ModelMessage:
    return ModelRequest(parts=[ToolReturnPart(tool_name="read_file", content=text, tool_call_id="1")])


async def test_a_short_history_stays_as_it_is() -> None:
    messages = [answer("a" * (MAX_CHARS // 2)), answer("b" * (MAX_CHARS // 2))]
    assert await bounded(messages) == messages


async def test_the_oldest_long_results_go_first_and_prompts_stay() -> None:
    prompt = ModelRequest(parts=[UserPromptPart("x" * MAX_CHARS)])
    short, long = answer("short"), [answer("a" * (MAX_CHARS // 4 - 100)) for _ in range(5)]
    kept = await bounded([prompt, short, *long])
    assert kept[:2] == [prompt, short]
    assert kept[5:] == long[3:]
    for message in kept[2:5]:
        (part,) = message.parts
        assert isinstance(part, ToolReturnPart)
        assert (str(part.content)[:10], part.tool_call_id) == ("[left out ", "1")


async def test_the_newest_result_is_never_left_out() -> None:
    newest = answer("a" * (2 * MAX_CHARS))
    assert await bounded([newest]) == [newest]
