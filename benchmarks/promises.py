"""The bars: each is a ratio to a peer measured in the same run, because a time belongs to one machine."""

from typing import Final

ROUND_TRIP: Final = 1.5
"""A small request, at most this many times a bare echo."""
FIRST_ANSWER: Final = 1.5
"""Start to first answer, at most this many times the import of pygls."""
ATTACH: Final = 2.5
"""Attach to a running Host until the first answer, at most this many times a bare start of Python."""
BUSY_RUN_P99_SECONDS: Final = 20e-3
"""A small request while one run of 1,000 events a second is shown by 10 clients, 99 of 100."""
SOAK_GROWTH: Final = 1.1
"""Memory, descriptors and threads of a Host after many runs, at most this many times those after warm-up."""
MCP_START: Final = 4.0
"""The same of `mcp` with a running Host, at most this many times a bare start of Python."""
FIRST_LIST: Final = 3.0
"""A list of 1,000 tasks with nothing kept, at least this many times faster than the guide under Node."""

SCAN_OF_MANY_SIZES: Final = {"structural": 12.0, "guide": 6.0}
"""A first list of 1,000 tasks of people's sizes, at least this many times faster than the guide in Node."""
SCAN_OF_MANY_TASKS: Final = {"structural": 7.0, "guide": 7.0}
"""The same of 20,000 tasks of 5 KB."""
SCAN_OVER_READING: Final = {"sizes": 5.0, "tasks": 4.0}
"""A first list, at most this many times the reading of all bytes."""
SCAN_MEMORY: Final = {"sizes": 1 / 4, "tasks": 1 / 6}
"""The memory of the largest process of a first list, at most this much of the guide's under Node."""
SESSIONS_OVER_READING: Final = 8.0
"""A first list of the sessions of Claude Code, at most this many times the reading of all bytes."""
SESSIONS_LATER: Final = 1.8
"""A later list of them while none changes, without a Host, at most this many times a walk that only stats."""
SESSIONS_OVER_CCUSAGE: Final = 5.0
"""A first list of them, at least this many times faster than the report of ccusage in JavaScript."""
SESSIONS_MEMORY_MIB: Final = 150.0
"""The memory of the largest process of a first list of them."""
WARM_START: Final = 1.8
"""A list of 20,000 tasks by an index that is there, at most this many times a walk that only stats."""
LIVE_LIST: Final = {"all as JSON": 8 / 4.3, "page of 50": 0.5 / 4.3, "filter": 3 / 4.3}
"""A server's list of 20,000 tasks, at most this many times the writing of 20,000 short records by orjson.

The bars were given as 8, 0.5 and 3 ms of a machine that writes the records in 4.3 ms.
"""
ROW_BYTES: Final = 1024
"""Memory of a task in a server's list."""
CHANGE_SECONDS: Final = {"while busy": 30e-3, "after quiet": 100e-3}
"""From a write to its report: when another write was just announced, and after 5 s without one."""
IDLE_PERCENT: Final = {1_000: 1.0, 20_000: 1.5}
"""Of one processor, in percent, for following this many tasks while nothing happens."""
APPEND_SECONDS: Final = 100e-3
"""From an appended answer of an agent until the list counts it."""
SESSIONS_IDLE_PERCENT: Final = 1.0
"""Of one processor, in percent, for following 10,000 sessions while nothing happens."""
ROOT_SECONDS: Final = {5_000: 10.0, 20_000: 30.0}
"""By its tasks, from the deletion, renaming or replacement of a root to the right list."""
HOSTILE_SECONDS: Final = 50e-3
"""Any damaged or hostile task of up to 1 MB."""
LOAD_SHARE: Final = 0.25
"""Of one processor, for 50 followed runs of 2,000 events a second in all."""
LOAD_P99_SECONDS: Final = 20e-3
"""A small request meanwhile, 99 of 100."""
LAUNCH_SECONDS: Final = 10e-3
"""Until a launch is answered, beyond what a request costs that does nothing."""
CANCEL_SECONDS: Final = 50e-3
"""Until a cancel is answered, and its end durable."""
REMINDER_SECONDS: Final = 20e-3
"""A reminder, a trigger, the summary or one more end, while 2,000 ends are pending."""
STALL_SECONDS: Final = 20e-3
"""The longest that the event loop is blocked while tasks are read or searched."""
PANEL_FRAME_SECONDS: Final = 50e-3
"""Processor time of any task of the window in which the panel works, drawing included."""
PANEL_HEAP_MIB: Final = 300.0
"""The JavaScript heap of the whole window, the workbench's own included, after a flood of 20 MB."""
PANEL_RESIDENT_MIB: Final = 300.0
"""By how much the resident memory of the window's renderers grows at most during a flood of 20 MB."""
PANEL_CANCEL_SECONDS: Final = 1.0
"""From a click on Cancel during a flood until the panel shows that the run is cancelled."""
