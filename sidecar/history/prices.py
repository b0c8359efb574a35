"""Estimate what sessions cost whose store records tokens only, with the price table of `genai-prices`.

The table ships with the package and is never fetched. The package is an extra and takes seconds to import, so
it is imported when the first estimate is requested.
"""

import importlib.util
import logging
import threading
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import ModelUsage, TaskInfo, TokenUsage
from sidecar.history.stores.index_row import IndexRow, info_of, with_info

PACKAGE: Final = "genai-prices"
EXTRA: Final = "subagent-sidecar[prices]"
_MODULE: Final = "genai_prices"
_KEPT: Final = 50_000
"""How many rows are remembered with their estimate."""
_log = logging.getLogger(__name__)


def table_name() -> str | None:
    """Return the name and version of the price table; None if the extra is not installed. Imports nothing."""
    if importlib.util.find_spec(_MODULE) is None:
        return None
    return f"{PACKAGE} {version(PACKAGE)}"


class Estimates:
    """Estimate costs, and remember the rows that show them. Any thread may call."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], tuple[IndexRow, IndexRow]] = {}
        self._unknown: set[str] = set()
        self._lock = threading.Lock()

    def row(self, row: IndexRow) -> IndexRow:
        """Return a row with its estimate; the row itself if there is none to make."""
        if b'"tokenUsage"' not in row.body:
            return row
        known = self._rows.get((row.root, row.id))
        if known is not None and known[0] is row:
            return known[1]
        info = info_of(row, "structural", 0)
        estimated = self.info(info)
        made = row if estimated is info else with_info(row, estimated)
        with self._lock:
            if len(self._rows) >= _KEPT:
                self._rows.clear()
            self._rows[row.root, row.id] = (row, made)
        return made

    def info(self, info: TaskInfo) -> TaskInfo:
        """Return a task with its estimate; the task itself if its cost is recorded or cannot be estimated."""
        usage = info.token_usage
        if usage is None or usage.cost is not None or not info.model:
            return info
        estimated = self._estimated(usage, info)
        return info if estimated is None else msgspec.structs.replace(info, token_usage=estimated)

    def _estimated(self, usage: TokenUsage, info: TaskInfo) -> TokenUsage | None:
        """Add the cost of a task with one or more models; None if one of them cannot be estimated."""
        if usage.by_model is None:
            cost = self._cost(usage, info.model or "", info.message_count, info.last_activity)
            return None if cost is None else msgspec.structs.replace(usage, estimated_cost=cost)
        costs = [self._cost(each, each.model, each.answers, info.last_activity) for each in usage.by_model]
        known = [cost for cost in costs if cost is not None]
        if len(known) < len(costs):
            return None
        models = [
            msgspec.structs.replace(each, estimated_cost=cost)
            for each, cost in zip(usage.by_model, known, strict=True)
        ]
        return msgspec.structs.replace(usage, estimated_cost=sum(known), by_model=models)

    def _cost(
        self, usage: TokenUsage | ModelUsage, model: str, messages: int | None, at: int | float | None
    ) -> float | None:
        if usage.input is None or usage.output is None or model in self._unknown:
            return None
        for name in dict.fromkeys((model, model.rpartition("/")[2])):
            try:
                return _price(usage, name, max(1, messages or 1), at)
            except (LookupError, ValueError):
                continue
        self._unknown.add(model)
        return None


def _price(usage: TokenUsage | ModelUsage, model: str, messages: int, at: int | float | None) -> float:
    """Return the price in USD at a time in ms. Raises LookupError for an unknown model.

    Models may cost more for long requests, so the average message is priced.
    """
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        _log.warning("history.estimateCost needs the extra: pip install %s", EXTRA)
        raise LookupError(model) from None

    def average(*tokens: int | float | None) -> Any:  # the types of the table are narrower than what it takes
        return Decimal(sum(int(each or 0) for each in tokens)) / messages

    used = Usage(
        input_tokens=average(usage.input, usage.cache_reads, usage.cache_writes),
        output_tokens=average(usage.output),
        cache_read_tokens=average(usage.cache_reads),
        cache_write_tokens=average(usage.cache_writes),
        cache_write_1h_tokens=average(min(usage.long_cache_writes or 0, usage.cache_writes or 0)),
    )
    moment = datetime.fromtimestamp(at / 1000, UTC) if at is not None else None
    return float(calc_price(used, model, genai_request_timestamp=moment).total_price * messages)
