"""The options of a question."""

from sidecar.subagents.runners.acp_question import question_of

ONCE = {"optionId": "y", "name": "Yes", "kind": "allow_once"}
NO = {"optionId": "n", "name": "No", "kind": "reject_once"}
ALWAYS = {"optionId": "a", "name": "Always", "kind": "allow_always"}


def test_always_can_be_chosen_where_the_agent_offers_only_once_and_means_once_to_it() -> None:
    question = question_of({"title": "Write"}, [ONCE, NO])
    assert [option.kind for option in question.options] == ["allow_once", "reject_once", "allow_always"]
    assert question.once(question.options[-1]).option_id == "y"


def test_the_always_of_an_agent_stays_the_only_one() -> None:
    question = question_of({"title": "Write"}, [ALWAYS, ONCE, NO])
    assert [option.option_id for option in question.options] == ["a", "y", "n"]


def test_what_cannot_be_allowed_cannot_be_allowed_always() -> None:
    assert [option.option_id for option in question_of({"title": "Write"}, [NO]).options] == ["n"]
