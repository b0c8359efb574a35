from pathlib import Path

import pytest

from sidecar.api.runs.permissions import Policy
from sidecar.subagents.permissions.policy import decide, is_wider
from sidecar.subagents.permissions.question import Answer, Option, Question, Verdict

ALWAYS = Option("a", "Always", "allow_always")
ONCE = Option("o", "Once", "allow_once")
NO = Option("n", "No", "reject_once")
NEVER = Option("x", "Never", "reject_always")


def question(kind: str = "other", *paths: str, options: tuple[Option, ...] = (ALWAYS, ONCE, NO)) -> Question:
    return Question(request_id="r", title="t", options=options, tool_kind=kind, paths=paths)


@pytest.mark.parametrize(
    ("policy", "kind", "verdict"),
    [
        ("ask", "read", "ask"),
        ("deny", "read", "deny"),
        ("allowAll", "execute", "allow"),
        ("allowReads", "search", "allow"),
        ("allowReads", "edit", "ask"),
        ("allowEdits", "read", "allow"),
        ("allowEdits", "execute", "ask"),
        ("allowEdits", "a kind of tomorrow", "ask"),
    ],
)
def test_a_policy_decides_by_the_kind_of_tool(
    policy: Policy, kind: str, verdict: Verdict, tmp_path: Path
) -> None:
    assert decide(policy, question(kind, str(tmp_path / "a")), tmp_path) == verdict


@pytest.mark.parametrize(
    ("paths", "verdict"),
    [
        (("a.txt",), "allow"),
        (("sub/../a.txt", "{workspace}/b"), "allow"),
        ((), "ask"),
        (("/etc/passwd",), "ask"),
        (("a.txt", "../outside"), "ask"),
        (("link/inside",), "ask"),
        (("{workspace}-twin/a",), "ask"),
        (("a\0b",), "ask"),
        (("\ud800x",), "ask"),
        (("x/" * 5_000,), "ask"),
        (tuple(f"{number}.txt" for number in range(2_000)), "ask"),
    ],
)
def test_only_edits_known_to_lie_in_the_workspace_are_allowed_as_such(
    paths: tuple[str, ...], verdict: Verdict, tmp_path: Path
) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "link").symlink_to(tmp_path)
    named = [path.replace("{workspace}", str(workspace)) for path in paths]
    assert decide("allowEdits", question("edit", *named), workspace) == verdict


def test_options_are_chosen_by_kind_and_the_narrower_first() -> None:
    assert question().option_for("allow") == ONCE
    assert question(options=(NEVER, NO)).option_for("deny") == NO
    assert question(options=(NEVER,)).option_for("deny") == NEVER
    assert question(options=(NO,)).option_for("allow") is None


def test_a_denial_without_an_option_for_it_calls_the_question_off() -> None:
    answer = Answer.denial(question(options=(ONCE,)), "nobody is there")
    assert answer == Answer(None, "Permission denied: nobody is there.")


def test_policies_are_ordered_by_what_they_allow() -> None:
    order: list[Policy] = ["deny", "ask", "allowReads", "allowEdits", "allowAll"]
    for at, policy in enumerate(order):
        assert [is_wider(policy, other) for other in order] == [at > place for place in range(len(order))]
