"""That a model is one argument, and no other."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.acp.agents.profiles import model_option

NAMES = ["gemini-2.5-pro", "openai/gpt-6", "qwen3:8b", "a@b+c", "x"]


@pytest.mark.parametrize("model", NAMES)
def test_a_model_is_one_word_with_its_flag(model: str) -> None:
    assert model_option("--model", model) == f"--model={model}"


@pytest.mark.parametrize(
    "model", ["--yolo", "-y", "", " x", "x y", "x\n", "x=y", "$(id)", '{"a":1}', "\N{KELVIN SIGN}2", "x\0"]
)
def test_what_is_not_the_name_of_a_model_is_refused_by_name(model: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(model))):
        model_option("--model", model)


@given(st.text() | st.from_regex(r"-{0,2}[\w=. -]+"))
def test_every_model_is_one_plain_argument_or_refused(model: str) -> None:
    try:
        option = model_option("--model", model)
    except ValueError:
        return
    flag, _, value = option.partition("=")
    assert (flag, value) == ("--model", model)
    assert value.isascii() and value.isprintable() and value[0].isalnum() and " " not in value
