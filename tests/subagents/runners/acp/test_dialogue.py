"""The next prompt of an agent after each end of a turn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.errors import Overloaded
from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.acp.dialogue import Dialogue, Prompt, TurnEnd, first_prompt

DONE = TurnEnd("end_turn")


def text(prompt: Prompt | None) -> str:
    assert prompt is not None
    return prompt.text


def test_a_turn_with_all_its_outputs_is_the_end() -> None:
    dialogue = Dialogue()
    assert dialogue.after(DONE) is None
    assert dialogue.is_over


def test_missing_outputs_are_asked_for_once_by_name() -> None:
    dialogue = Dialogue()
    assert "count" in text(dialogue.after(TurnEnd("end_turn", ["count"])))
    assert dialogue.after(TurnEnd("end_turn", ["count"])) is None


def test_missing_outputs_are_asked_for_again_only_to_explain_why_they_are_missing() -> None:
    dialogue = Dialogue()
    lost = TurnEnd("end_turn", ["count"], problems=["count was not kept"])
    assert "count" in text(dialogue.after(TurnEnd("end_turn", ["count"])))
    assert "\ncount was not kept\n" in text(dialogue.after(lost))
    assert dialogue.after(lost) is None


def test_the_last_turn_explains_why_outputs_are_missing() -> None:
    dialogue = Dialogue()
    dialogue.schedule_last_turn(["count"], ["count was not kept"])
    assert "\ncount was not kept\n" in text(dialogue.after(TurnEnd("cancelled", ["count"])))


def test_a_refusal_is_explained_before_outputs_are_requested() -> None:
    dialogue = Dialogue()
    silenced = TurnEnd("end_turn", ["count"], "Permission denied: no.")
    assert text(dialogue.after(silenced)).startswith("Permission denied: no.")
    assert "count" in text(dialogue.after(silenced))


def test_an_agent_that_stopped_short_is_not_asked_for_outputs() -> None:
    assert Dialogue().after(TurnEnd("max_tokens", ["count"])) is None


def test_what_is_sent_comes_before_all_else_in_its_order_however_the_turn_ended() -> None:
    dialogue = Dialogue()
    assert dialogue.send("one")
    assert dialogue.send("two")
    assert dialogue.after(TurnEnd("max_tokens")) == Prompt("one", by_user=True)
    assert dialogue.after(TurnEnd("end_turn", ["count"], "no")) == Prompt("two", by_user=True)
    assert "no" in text(dialogue.after(TurnEnd("end_turn", ["count"], "no")))


def test_no_message_is_accepted_that_would_not_be_delivered() -> None:
    winding, over = Dialogue(), Dialogue()
    winding.schedule_last_turn([])
    over.after(DONE)
    assert (winding.send("x"), over.send("x")) == (False, False)


def test_no_more_than_a_few_messages_wait() -> None:
    dialogue = Dialogue()
    with pytest.raises(Overloaded):
        for number in range(100):
            dialogue.send(str(number))


def test_the_last_turn_follows_however_the_one_before_ended() -> None:
    dialogue = Dialogue()
    dialogue.schedule_last_turn(["count"])
    shown = text(dialogue.after(TurnEnd("cancelled", ["count"])))
    assert "last turn" in shown
    assert "count" in shown
    assert dialogue.is_over
    assert dialogue.after(TurnEnd("end_turn", ["count"])) is None


def test_a_dialogue_that_was_ended_stays_so() -> None:
    dialogue = Dialogue()
    dialogue.schedule_last_turn([])
    dialogue.is_over = True
    assert dialogue.after(TurnEnd("cancelled")) is None


def test_the_prompt_names_outputs_and_tools() -> None:
    prompt = first_prompt("do it", {"count": "how many"}, ToolRule((("read", "edit"),)))
    assert prompt.startswith("do it\n\nUse only these tools: read, edit.")
    assert "- count: how many" in prompt
    assert first_prompt("do it", {}, None) == "do it"
    assert "Do not use any tools" in first_prompt("do it", {}, ToolRule(((),)))


ENDS = st.builds(
    TurnEnd,
    st.sampled_from(["end_turn", "cancelled", "max_tokens"]),
    st.sampled_from([[], ["count"]]),
    st.sampled_from([None, "no"]),
)


@given(st.lists(ENDS | st.just("wind up"), min_size=1, max_size=8))
@settings(max_examples=100)
def test_a_dialogue_ends_after_four_prompts_at_most(steps: list[TurnEnd | str]) -> None:
    dialogue, prompts = Dialogue(), 1
    for step in [*steps, *[TurnEnd("end_turn", ["count"], "no")] * 4]:
        if isinstance(step, str):
            dialogue.schedule_last_turn(["count"])
        else:
            prompts += dialogue.after(step) is not None
    assert dialogue.is_over
    assert prompts <= 4
