"""Follow a call through the files of the sidecar, also into the tasks and threads that it starts."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any

import pytest

import sidecar

HOME = Path(sidecar.__file__).parent

Way = tuple[str, ...]
Seen = Callable[[dict[str, Any]], None]
Condition = Callable[[dict[str, Any]], bool]

_before: ContextVar[Way] = ContextVar("before", default=())
"""The files that led to the task or thread that runs."""


@dataclass(frozen=True)
class _End:
    when: Condition
    way: "asyncio.Future[Way]"
    stack_only: bool


class Ways:
    """Watch calls in the running loop, from now until `close`.

    A way is the files below `sidecar/` on the stack of a call, in the order in which they are entered. The
    stack of a task or thread continues that of the call that started it, unless only the stack is asked for.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._watched: dict[object, _End] = {}
        self._seen: Seen = lambda arguments: None
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        to_thread = asyncio.to_thread

        async def in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            token = _before.set(_way(sys._getframe()))
            try:
                return await to_thread(self._profiled, function, *args, **kwargs)
            finally:
                _before.reset(token)

        monkeypatch.setattr(asyncio, "to_thread", in_thread)
        self._loop.set_task_factory(_new_task)
        sys.setprofile(self._profile)

    def to(
        self,
        function: Callable[..., Any],
        when: Condition = lambda arguments: True,
        *,
        stack_only: bool = False,
    ) -> "asyncio.Future[Way]":
        """Return the way to the next call of a function with arguments that meet the condition."""
        assert isinstance(function, FunctionType)
        end = _End(when, self._loop.create_future(), stack_only)
        self._watched[function.__code__] = end
        return end.way

    def see(self, seen: Seen) -> None:
        """Call `seen` with the arguments of each later call in the loop's thread."""
        self._seen = seen

    def close(self) -> None:
        """Stop watching."""
        sys.setprofile(None)
        self._loop.set_task_factory(None)

    def _profiled(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        sys.setprofile(self._profile)
        try:
            return function(*args, **kwargs)
        finally:
            sys.setprofile(None)

    def _profile(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(str(HOME)):
            return
        if threading.get_ident() == self._thread:
            self._seen(_arguments(frame))
        end = self._watched.get(frame.f_code)
        if end is not None and end.when(_arguments(frame)):
            del self._watched[frame.f_code]
            way = _once(_files(frame)) if end.stack_only else _way(frame)
            self._loop.call_soon_threadsafe(end.way.set_result, way)


def _new_task(loop: asyncio.AbstractEventLoop, work: Any, **given: Any) -> "asyncio.Task[Any]":
    context = given.pop("context", None) or copy_context()
    context.run(_before.set, _way(sys._getframe()))
    return asyncio.Task(work, loop=loop, context=context, **given)


def _way(frame: FrameType | None) -> Way:
    return _once((*_before.get(), *_files(frame)))


def _once(files: Iterable[str]) -> Way:
    return tuple(dict.fromkeys(files))


def _files(frame: FrameType | None) -> Sequence[str]:
    """Return the files of a stack, the outermost first."""
    files = []
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(HOME):
            files.append(path.relative_to(HOME).as_posix())
        frame = frame.f_back
    return files[::-1]


def _arguments(frame: FrameType) -> dict[str, Any]:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return {name: value for name, value in frame.f_locals.items() if name in names}
