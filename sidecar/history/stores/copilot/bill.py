"""What the processes of a session of Copilot CLI used. Pure."""

from collections.abc import Mapping
from typing import Any

from sidecar.api.stored.tasks import TokenUsage
from sidecar.history.stores.sessions.times import any_ms
from sidecar.history.stores.sessions.usage import CountedOnce, Usage, tokens
from sidecar.history.stores.sessions.values import text

Json = Mapping[str, Any]


class Bill:
    """Add up what is recorded when a process, a run, ends; version 1.0.102 also records each request.

    A run that was killed recorded nothing at its end. Without records of its requests, only the output of its
    answers is known.
    """

    def __init__(self) -> None:
        self.is_forked = False
        """Whether what a run records at its end includes the tokens of another session."""
        self._started: int | None = None
        self._run = 0
        self._ended: dict[object, dict[str, Usage]] = {}
        """What a run recorded at its end, by model; by the time of the run's start."""
        self._requests: set[str] = set()
        """The requests whose usage is recorded, by the IDs of their events."""
        self._models: dict[str | None, Usage] = {}
        """What they used, by model, with the compactions of runs that record requests."""
        self._compactions: dict[str | None, Usage] = {}
        """What the compactions of the current run used, until it records a request."""
        self._outputs: dict[str, int | None] = {}
        self._last_output: int | None = None
        """The output of the last request, until its answer takes it."""
        self._has_records = False
        self._is_recorded = False
        """Whether the current run has recorded the usage of a request."""
        self._is_open = False
        """Whether the current run has answers without any usage yet."""
        self._is_incomplete = False
        """Whether a run with answers ended without recording its usage."""

    def start(self, started: object) -> None:
        """Take the start of a process; `started` is that of the session, or None."""
        self._started = self._started or any_ms(started)
        self._is_incomplete = self._is_incomplete or self._is_open
        self._is_open = self._is_recorded = False
        self._compactions = {}
        self._run += 1

    def answer(self, name: str, output: int | None) -> None:
        """Take an answer, and the tokens of its output if they are recorded with it."""
        output = self._last_output if output is None else output
        self._last_output = None
        known = self._outputs.get(name)
        self._outputs[name] = output if known is None else max(known, output or 0)
        self._is_open = not self._is_recorded

    def record(self, request: str | None, used: Json) -> None:
        """Take the usage of a request, by the ID of its event."""
        request = f"#{len(self._requests)}" if request is None else request
        if request not in self._requests:
            self._requests.add(request)
            _add(self._models, text(used.get("model")), _usage_of(used))
        for model, compacted in self._compactions.items():
            _add(self._models, model, compacted)
        self._compactions = {}
        self._last_output = tokens(used.get("outputTokens"))
        self._has_records = self._is_recorded = True
        self._is_open = False

    def compact(self, used: Json) -> None:
        """Take the usage of a compaction, which runs that record no requests include at their end."""
        models = self._models if self._is_recorded else self._compactions
        _add(models, text(used.get("model")), _usage_of(used))

    def shut_down(self, metrics: Json, started: object) -> None:
        """Take what a run records at its end, for the time since `started`, unless its requests are recorded.

        One that began with the session includes the runs before it, but not those of other processes at the
        same time. That of a fork includes the other session.
        """
        self._is_open = False
        if self.is_forked or self._is_recorded:
            return
        if self._run > 1 and self._started is not None and any_ms(started) == self._started:
            if self._has_records:
                return
            self._ended = {}
        key = started if isinstance(started, int | str) else len(self._ended)
        self._ended[key] = {model: _of_run(recorded) for model, recorded in metrics.items()}

    def total(self) -> TokenUsage | None:
        """Return the tokens of all runs; only the output while the usage of a run is not recorded."""
        if not (self._is_open or self._is_incomplete):
            counted = CountedOnce()
            for run, metrics in self._ended.items():
                for model, used in metrics.items():
                    counted.add((str(run), model), used, model)
            for name, usage in self._models.items():
                counted.add(("requests", name), usage, name)
            if (total := counted.total()) is not None:
                return total
        known = [output for output in self._outputs.values() if output is not None]
        return TokenUsage(output=sum(known)) if known else None


def _add(models: dict[str | None, Usage], model: str | None, used: Usage) -> None:
    models[model] = used.plus(models.get(model, Usage(answers=0)))


def _of_run(recorded: object) -> Usage:
    """Read the usage of one model in a run."""
    if not isinstance(recorded, dict) or not isinstance(used := recorded.get("usage"), dict):
        return Usage()
    requests = recorded.get("requests")
    return _usage_of(used, (tokens(requests.get("count")) if isinstance(requests, dict) else None) or 1)


def _usage_of(used: Json, answers: int = 1) -> Usage:
    """Read a usage; its input includes what was read from and written to a cache."""
    reads, writes = tokens(used.get("cacheReadTokens")), tokens(used.get("cacheWriteTokens"))
    given = tokens(used.get("inputTokens"))
    return Usage(
        input=max(given - (reads or 0) - (writes or 0), 0) if given is not None else None,
        output=tokens(used.get("outputTokens")),
        cache_reads=reads,
        cache_writes=writes,
        answers=answers,
    )
