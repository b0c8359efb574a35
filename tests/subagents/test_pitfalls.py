"""Mistakes that are easy to make with background runs, and the tests that show that none is made here.

Whoever changes one of these tests finds here what it guards.
"""

import ast
import uuid
from pathlib import Path
from typing import Final

import pytest

from sidecar.storage.layout import new_task_id

TESTS: Final = Path(__file__).parents[1]
_TASKS, _REMINDERS, _RUNS = "subagents/tasks", "subagents/reminders", "subagents/runs"

PITFALLS: Final[dict[str, tuple[str, ...]]] = {
    "an end while the agent is busy waits for the next end": (
        f"{_REMINDERS}/test_trigger_loop.py::test_a_busy_agent_is_left_alone_until_it_turns_idle",
        f"{_REMINDERS}/test_auto_trigger.py::test_what_ends_while_busy_is_delivered_when_the_agent_turns_idle",
    ),
    "a cancelled or unreported task stops the removal of old ones": (
        f"{_TASKS}/test_manager.py::test_cancelled_tasks_are_trimmed_unreported_and_hold_nothing_up",
        f"{_TASKS}/test_manager.py::test_a_manager_of_a_host_trims_what_is_newer_than_an_unreported_result",
        f"{_TASKS}/test_manager.py::test_marking_trims_too",
    ),
    "a slow launch loses its slot": (
        f"{_RUNS}/test_background.py::"
        "test_a_slot_is_held_however_slow_the_launch_is_and_comes_back_when_it_fails",
    ),
    "a new task replaces a running one with its ID": (
        f"{_TASKS}/test_manager.py::test_a_running_id_is_refused_and_the_slot_stays_held",
        "subagents/test_pitfalls.py::test_ids_are_whole_uuids",
    ),
    "the end of a stopped run depends on what the agent returns or raises": (
        f"{_TASKS}/test_outcome.py::test_a_forced_end_wins_over_what_the_run_raised_or_returned",
    ),
    "a run that failed counts as completed": (
        f"{_TASKS}/test_outcome.py::test_only_a_goal_reached_is_completed_and_output_is_kept",
    ),
    "a failure loses the partial output": (
        f"{_TASKS}/test_manager.py::test_a_failed_task_keeps_its_partial_output",
        f"{_TASKS}/test_outcome.py::test_a_forced_end_wins_over_what_the_run_raised_or_returned",
        f"{_RUNS}/test_background.py::test_a_run_that_raises_fails_with_its_message_and_keeps_its_output",
        f"{_RUNS}/test_background.py::test_the_time_limit_fails_the_run_and_keeps_its_output",
        f"{_REMINDERS}/test_reminder.py::"
        "test_enriched_blocks_carry_name_goal_and_partial_behind_the_required_keys",
    ),
    "a model does not learn that its run was cancelled": (
        f"{_REMINDERS}/test_outbox.py::"
        "test_a_cancel_that_the_model_did_not_ask_for_rides_in_next_and_never_triggers",
        "e2e/mcp/test_reminders.py::"
        "test_a_model_is_notified_when_another_model_of_its_workspace_cancels_its_run",
    ),
    "an ambiguous ID is not found, a mark hides an end, a wrong limit breaks the history": (
        "tools/test_check_async_tasks.py::test_an_ambiguous_prefix_names_the_candidates",
        f"{_TASKS}/test_manager.py::test_marking_a_running_task_does_not_hide_its_end",
        f"{_TASKS}/test_manager.py::test_an_invalid_limit_is_refused_by_name",
    ),
    "a subscriber that raises stops others, a subagent cancels its siblings": (
        f"{_TASKS}/test_manager.py::test_a_raising_subscriber_stops_neither_others_nor_trimming",
        "e2e/delegation/test_delegation.py::"
        "test_such_a_server_takes_no_reminder_of_the_model_that_launched_and_cancels_nothing",
    ),
    "a late result has no context, a long one fills the prompt": (
        f"{_REMINDERS}/test_reminder.py::"
        "test_enriched_blocks_carry_name_goal_and_partial_behind_the_required_keys",
        f"{_REMINDERS}/test_reminder.py::test_what_enriching_adds_is_bounded",
        f"{_REMINDERS}/test_outbox.py::test_a_bounded_reminder_leaves_the_rest_for_the_next",
    ),
    "a running task shows nothing but its duration": (
        "tools/test_check_async_tasks.py::test_a_peek_at_a_running_task_shows_its_progress",
    ),
    "a cancel does not reach the run, a limit is passed, a mark loses results": (
        f"{_RUNS}/test_background.py::test_cancel_reaches_the_run_and_its_state_stays",
        f"{_TASKS}/test_manager.py::test_two_overlapping_launches_cannot_pass_a_limit_of_one",
        f"{_REMINDERS}/test_outbox.py::test_only_the_ids_that_the_delivery_carried_are_marked",
    ),
    "a restart or a terminal loses results, a shutdown leaves runs, a limit or a grace period is not used": (
        "e2e/runs/test_crash.py::test_lost_runs_ride_in_the_next_reminder_and_start_no_turn",
        "e2e/runs/test_runs.py::test_shutdown_ends_runs_as_host_exit_and_says_so_after_a_restart",
        "e2e/runs/test_terms.py::test_at_the_time_limit_the_agent_has_a_last_turn",
        "app/test_host.py::test_raising_the_limit_starts_what_is_queued",
        "e2e/cli/test_runs.py::test_a_launch_prints_its_id_then_the_final_message",
    ),
}


@pytest.mark.parametrize("pitfall", PITFALLS)
def test_a_pitfall_has_its_tests(pitfall: str) -> None:
    for name in PITFALLS[pitfall]:
        file, _, test = name.partition("::")
        assert test in _tests_in(TESTS / file), name
        assert _can_fail(_tests_in(TESTS / file)[test]), name


def test_ids_are_whole_uuids() -> None:
    ids = [new_task_id() for _ in range(100)]
    assert {str(uuid.UUID(each)) for each in ids} == {*ids}
    assert len({*ids}) == len(ids)


def _tests_in(path: Path) -> dict[str, ast.AST]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, functions)}


def _can_fail(test: ast.AST) -> bool:
    """Return whether a test asserts something, so that it guards more than its name."""
    return any(isinstance(node, ast.Assert) for node in ast.walk(test))
