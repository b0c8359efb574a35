"""What clients show of definitions: their runners, their placement and their problems."""

from collections.abc import Mapping

from sidecar.api.runs.async_tasks import PlacementKind
from sidecar.api.runs.subagents import DefinitionProblem, SubagentsResult
from sidecar.api.settings import Settings
from sidecar.subagents.definitions import Definition, LoadedDefinitions, PlacedDefinition
from sidecar.subagents.definitions.approval import (
    brought_by,
    explain_servers,
    missing_approval,
    unapproved_servers,
)
from sidecar.subagents.definitions.approval import problem as unapproved
from sidecar.subagents.runners.contract import Runner
from sidecar.subagents.runs.targets.runner_choice import AUTO, RunnerChoice, is_available


def describe_definitions(
    loaded: LoadedDefinitions, settings: Settings, choice: RunnerChoice
) -> SubagentsResult:
    """Describe definitions with their runners, and report what keeps them from being launched."""
    items, problems, runners = [], list(loaded.problems), choice.runners
    first = next((name for name, runner in runners.items() if is_available(runner)), "")
    for placed in loaded.definitions:
        runner = runner_name(placed, settings.default_runner, runners) or ""
        approval = missing_approval(placed, settings)
        placement = usual_placement(placed.definition, runner, settings)
        is_remote = placement == "ray" and runner not in ("", AUTO)  # then it need not be installed here
        unavailable = None if is_remote else choice.why_unavailable(runner or None)
        items.append(placed.info(runner, approval, unavailable, placement))
        if approval is not None and placed.shadowed_by is None:
            problems.append(unapproved(placed, settings, approval))
        text = brought_by(placed)
        servers = unapproved_servers(placed.definition, text, settings)
        if text is not None and servers and placed.shadowed_by is None:
            problems.append(DefinitionProblem(path=placed.path, message=explain_servers(servers, text)))
        taken = first if runner == AUTO else runner
        if taken and placed.shadowed_by is None and not understands_model(taken, placed):
            problems.append(_foreign_model(taken, placed))
    return SubagentsResult(items=items, problems=problems)


def usual_placement(definition: Definition, runner: str | None, settings: Settings) -> PlacementKind | None:
    """Return where runs work unless the launch names a place; None means this machine."""
    configured = settings.runners.get(runner or "")
    return definition.placement or (None if configured is None else configured.placement)


def runner_name(placed: PlacedDefinition, default: str | None, runners: Mapping[str, Runner]) -> str | None:
    """Return the runner in the definition, else in the settings, else the agent of the file's format."""
    chosen = placed.definition.runner or default
    if chosen is not None:
        return chosen
    own = (name for name in placed.format.runners if name in runners and is_available(runners[name]))
    return next(own, None)


def understands_model(runner: str, placed: PlacedDefinition) -> bool:
    """Return whether the runner understands the model; tools name models differently."""
    return placed.definition.model is None or placed.format.closed or runner in placed.format.runners


def _foreign_model(runner: str, placed: PlacedDefinition) -> DefinitionProblem:
    definition, tool = placed.definition, placed.format.name
    message = f"model {definition.model!r} belongs to {tool}; runner {runner!r} uses its default model"
    return DefinitionProblem(path=placed.path, line=definition.model_line, message=message)
