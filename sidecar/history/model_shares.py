"""Divide the usage of tasks among the models that they used. Pure."""

from collections.abc import Iterable, Iterator

import msgspec

from sidecar.api.stored.tasks import ModelUsage, TaskInfo, TokenUsage


def model_shares(tasks: Iterable[TaskInfo]) -> Iterator[tuple[str | None, TaskInfo]]:
    """Yield each task once for each of its models, with what the answers of that model used.

    Its messages and its size are not known by model, so they stay with the model that it used last. A cost
    that is recorded for the whole task only is that of no model (None).
    """
    for task in tasks:
        usage = task.token_usage
        if usage is None or usage.by_model is None:
            yield task.model, task
        else:
            yield from _shares(task, usage, usage.by_model)


def _shares(
    task: TaskInfo, usage: TokenUsage, models: list[ModelUsage]
) -> Iterator[tuple[str | None, TaskInfo]]:
    has_total = usage.total is not None
    shares: dict[str | None, TokenUsage | None] = {
        task.model: None,
        **{each.model: _usage(each, has_total) for each in models},
    }
    if usage.cost is not None and any(each.cost is None for each in models):
        shares[None] = TokenUsage(cost=usage.cost)
    for model, used in shares.items():
        is_last = model == task.model
        yield (
            model,
            msgspec.structs.replace(
                task,
                model=model,
                token_usage=used,
                message_count=task.message_count if is_last else None,
                size_bytes=task.size_bytes if is_last else 0,
            ),
        )


def _usage(used: ModelUsage, has_total: bool) -> TokenUsage:
    return TokenUsage(
        total=(used.input or 0) + (used.output or 0) if has_total else None,
        cost=used.cost,
        input=used.input,
        output=used.output,
        cache_reads=used.cache_reads,
        cache_writes=used.cache_writes,
        estimated_cost=used.estimated_cost,
    )
