"""What the processes of a session of Copilot CLI used. Pure."""

from collections.abc import Mapping

from sidecar.api.stored.tasks import TokenUsage
from sidecar.history.stores.sessions.usage import CountedOnce, Usage, tokens
from sidecar.history.stores.sessions.values import text

ByModel = dict[str | None, Usage]


class Bill:
    """Add up what is recorded for each process, a run, when it ends, or for each of its requests.

    At the end of a run, versions 1.0.12 and 1.0.50 record its tokens. Versions 1.0.80 and 1.0.102 add them to
    those of the last end in the file, whichever version wrote it; 1.0.102 also records each request, so its
    ends are only remembered. None of them includes compactions. A run that was killed recorded nothing at
    its end: without records of its requests, only the output of its answers is known.
    """

    def __init__(self, copied: "Bill | None" = None, *, of_requests: bool = False) -> None:
        """Begin; a fork has `copied` what is there, `of_requests` if that has records of requests."""
        self._ends: list[ByModel] = []
        """What the runs without records of their requests used, each without the runs before it."""
        self._is_forked = copied is not None
        self._last_end: ByModel = copied._last_end if copied is not None else {}
        """What was recorded at the last end, whether it is counted or not: the next end may include it."""
        self._has_copied_requests = of_requests or (copied is not None and copied.has_requests)
        self._requests: set[str] = set()
        """The requests whose usage is recorded, by the IDs of their events."""
        self._requested: ByModel = {}
        """What they used."""
        self._compacted: ByModel = {}
        self._outputs: dict[str, int | None] = {}
        self._last_output: int | None = None
        """The output of the last request, until its answer takes it."""
        self._run_output = 0
        """The known output of the answers of the current run."""
        self._run_answers = 0
        self._is_recorded = False
        """Whether the current run has recorded the usage of a request."""
        self._is_open = False
        """Whether the current run has answers without any usage yet."""
        self._is_incomplete = False
        """Whether a run with answers ended without recording its usage."""

    @property
    def has_requests(self) -> bool:
        """Return whether the usage of requests is recorded, or was in what a fork copied."""
        return bool(self._requests) or self._has_copied_requests

    def start(self) -> None:
        """Take the start of a process."""
        self._is_incomplete = self._is_incomplete or self._is_open
        self._is_open = self._is_recorded = False
        self._run_output = self._run_answers = 0

    def answer(self, name: str, output: int | None) -> None:
        """Take an answer, and the tokens of its output if they are recorded with it."""
        output = self._last_output if output is None else output
        self._last_output = None
        self._run_answers += 1
        known = self._outputs.get(name)
        now = output if known is None else max(known, output or 0)
        self._run_output += (now or 0) - (known or 0)
        self._outputs[name] = now
        self._is_open = not self._is_recorded

    def record(self, request: str | None, used: Mapping[str, object]) -> None:
        """Take the usage of a request, by the ID of its event."""
        request = f"#{len(self._requests)}" if request is None else request
        if request not in self._requests:
            self._requests.add(request)
            _add(self._requested, text(used.get("model")), _usage_of(used))
        self._last_output = tokens(used.get("outputTokens"))
        self._is_recorded = True
        self._is_open = False

    def compact(self, used: Mapping[str, object]) -> None:
        """Take the usage of a compaction."""
        _add(self._compacted, text(used.get("model")), _usage_of(used))

    def shut_down(self, metrics: Mapping[str, object]) -> None:
        """Take what a run records at its end; count it unless its requests are recorded.

        It includes the last end before it if its output is nearer to that with the output of its answers.
        """
        self._is_open = False
        end: ByModel = {model: _of_run(recorded) for model, recorded in metrics.items()}
        before, self._last_end = self._last_end, end
        is_idle = not self._run_answers and (self._ends or self._is_forked or self.has_requests)
        if self._is_recorded or is_idle or (self.has_requests and not self._run_output):
            return
        beyond_answers = _output(end) - self._run_output
        if abs(beyond_answers - _output(before)) < abs(beyond_answers):
            end = {model: used.minus(before.get(model)) for model, used in end.items()}
        self._ends.append(end)

    def total(self) -> TokenUsage | None:
        """Return the tokens of all runs; only the output while the usage of a run is not recorded."""
        if not (self._is_open or self._is_incomplete):
            counted = CountedOnce()
            for place, models in enumerate((*self._ends, self._requested, self._compacted)):
                for model, used in models.items():
                    counted.add((place, model), used, model)
            if (total := counted.total()) is not None:
                return total
        known = [output for output in self._outputs.values() if output is not None]
        return TokenUsage(output=sum(known)) if known else None


def _add(models: ByModel, model: str | None, used: Usage) -> None:
    models[model] = used.plus(models.get(model, Usage(answers=0)))


def _output(models: ByModel) -> int:
    return sum(used.output or 0 for used in models.values())


def _of_run(recorded: object) -> Usage:
    """Read the usage of one model in a run."""
    if not isinstance(recorded, dict) or not isinstance(used := recorded.get("usage"), dict):
        return Usage()
    requests = recorded.get("requests")
    return _usage_of(used, (tokens(requests.get("count")) if isinstance(requests, dict) else None) or 1)


def _usage_of(used: Mapping[str, object], answers: int = 1) -> Usage:
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
