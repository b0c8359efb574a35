"""Which modes count as asking, and what agents announce of them."""

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.acp import mode_state
from sidecar.subagents.runners.acp.agents.profiles import PROFILES
from sidecar.subagents.runners.acp.mode_state import AskingModes, Choice, SessionState

APPROVING = [
    *("auto", "autoEdit", "auto-edit", "auto_edit", "acceptEdits", "bypassPermissions", "dontAsk", "yolo"),
    *("full-access", "agent-full-access", "agent", "workspace-write", "autopilot", "smart_approve"),
    *("code", "build", "anything"),
]
OPTION = {
    "id": "mode",
    "category": "mode",
    "type": "select",
    "currentValue": "auto",
    "options": [{"group": "g", "options": [{"value": "auto"}, {"value": "default"}]}],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("mode", APPROVING)
def test_modes_that_approve_and_modes_nobody_knows_do_not_count_as_asking(mode: str) -> None:
    assert not AskingModes().includes(mode)


@pytest.mark.parametrize("mode", ["default", "Ask", "read_only", "readonly", "https://x.org/modes#plan"])
def test_usual_names_of_asking_modes_count_however_they_are_spelled(mode: str) -> None:
    assert AskingModes().includes(mode)


@pytest.mark.parametrize("profile", PROFILES)
def test_no_known_agent_has_a_self_approving_mode_among_its_asking_ones(profile: str) -> None:
    known = PROFILES[profile].modes
    own = set(known.preferred) | set(known.kept)
    assert [mode for mode in APPROVING if mode not in own and known.includes(mode)] == []
    assert {"auto", "acceptEdits", "yolo", "agent", "workspace-write"}.isdisjoint(own)


@given(st.lists(st.text(string.ascii_letters + "-_", min_size=1, max_size=12), max_size=6))
def test_a_mode_that_is_chosen_is_offered_and_asks(offered: list[str]) -> None:
    known = AskingModes()
    chosen = known.choose([*offered, "Default"])
    assert chosen in [*offered, "Default"]
    assert known.includes(chosen)


def test_planning_is_never_chosen() -> None:
    assert AskingModes().choose(["plan", "code"]) is None


def test_modes_and_options_are_both_found() -> None:
    answer = {"modes": {"currentModeId": "a", "availableModes": [{"id": "a"}]}, "configOptions": [OPTION]}
    state = mode_state.opened(answer)
    assert state.choices == (Choice(None, "a", ("a",)), Choice("mode", "auto", ("auto", "default")))


def test_the_last_announced_mode_counts() -> None:
    state = SessionState((Choice(None, "default", ()), Choice("mode", "default", ())))
    state = mode_state.updated(state, {"sessionUpdate": "current_mode_update", "currentModeId": "auto"})
    assert state.mode == "auto"
    assert [choice.current for choice in state.not_asking(AskingModes())] == ["auto"]
    state = mode_state.updated(state, {"sessionUpdate": "config_option_update", "configOptions": [OPTION]})
    assert [choice.option for choice in state.not_asking(AskingModes())] == [None, "mode"]


@pytest.mark.parametrize(
    ("text", "in_text", "mode"),
    [
        ("[MODE_UPDATE] yolo", True, "yolo"),
        ("[MODE_UPDATE] yolo", False, "default"),
        ("[MODE_UPDATE] unknown", True, "default"),
        ("It says [MODE_UPDATE] yolo", True, "default"),
    ],
)
def test_only_an_agent_that_announces_its_modes_in_messages_can_name_an_offered_one_there(
    text: str, in_text: bool, mode: str
) -> None:
    state = SessionState((Choice(None, "default", ("default", "yolo")),))
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    assert mode_state.updated(state, update, in_text=in_text).mode == mode


def test_only_gemini_announces_its_modes_in_messages() -> None:
    assert [name for name, each in PROFILES.items() if each.modes.announced_in_text] == ["gemini"]


def test_the_model_that_answered_is_found_in_the_usage_of_claude() -> None:
    update = {"sessionUpdate": "usage_update", "_meta": {"_claude/model": "claude-x"}}
    assert mode_state.updated(SessionState(model="default"), update).model == "claude-x"


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "sessionUpdate": st.sampled_from(
                ["config_option_update", "current_mode_update", "agent_message_chunk", "usage_update"]
            ),
            "configOptions": JSON,
            "currentModeId": JSON,
            "content": JSON,
            "_meta": JSON,
            "modes": JSON,
        },
    )
)
def test_nothing_an_agent_announces_raises(announced: dict[str, Any]) -> None:
    mode_state.updated(mode_state.opened(announced), announced)
