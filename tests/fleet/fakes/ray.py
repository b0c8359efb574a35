"""As much of Ray as the gateway and the actors use, in this process."""

import asyncio
import contextlib
import copy
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import partial
from types import SimpleNamespace
from typing import Any

_here: "ContextVar[FakeNode]" = ContextVar("here")
"""The node on which a method of an actor runs."""


class ActorDiedError(Exception):
    """The actor is dead."""


class ActorUnavailableError(Exception):
    """The actor cannot be reached at the moment."""


class ActorUnschedulableError(Exception):
    """No node can ever have the actor."""


class FakeNode:
    """A node with slots. While it is frozen, nothing on it answers."""

    def __init__(self, name: str, slots: int, labels: Mapping[str, str] | None = None) -> None:
        self.name, self.slots, self.free = name, slots, slots
        self.labels = dict(labels or {})
        self.id = f"id-{name}"
        self.is_dead = False
        self.changed = asyncio.Event()
        self.thawed = asyncio.Event()
        self.thawed.set()

    def restart(self) -> None:
        """Let the machine join the cluster as a new node."""
        self.is_dead = False
        self.id += "-again"

    def describe(self) -> dict[str, Any]:
        named = {"nodeId": self.id, "name": self.name, "address": "127.0.0.1"}
        return {**named, "labels": self.labels, "slots": self.slots, "free": self.free}


class FakeActor:
    """One actor, and its handle: `actor.method.remote()`."""

    def __init__(self, name: str, node: FakeNode, make: Callable[[], Any], watch: Callable[[], None]) -> None:
        """`watch` is called at the death of the actor."""
        self.name = name
        self._watch = watch
        self.node = node
        self.body: Any = None
        self.died = asyncio.Event()
        self._has_slot = False
        self._making = asyncio.create_task(self._make(make), name=f"making {name}")
        self._made = asyncio.Event()

    async def _make(self, make: Callable[[], Any]) -> None:
        while self.node.free < 1:
            self.node.changed.clear()
            await self.node.changed.wait()
        self.node.free -= 1
        self._has_slot = True
        _here.set(self.node)
        self.body = make()
        self._made.set()

    def __getattr__(self, method: str) -> "FakeMethod":
        return FakeMethod(self, method)

    def kill(self) -> None:
        """Kill the process of the actor."""
        if self.died.is_set():
            return
        self.died.set()
        self._watch()
        self._making.cancel()
        if self._has_slot:
            self._has_slot = False
            self.node.free += 1
            self.node.changed.set()

    async def reached(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Return the result of work in the actor. Raises ActorDiedError as soon as it is dead."""
        if self.died.is_set():
            raise ActorDiedError(f"{self.name} is dead")
        doing = asyncio.ensure_future(self._gated(work))
        dying = asyncio.create_task(self.died.wait())
        await asyncio.wait({doing, dying}, return_when=asyncio.FIRST_COMPLETED)
        dying.cancel()
        if not self.died.is_set():
            return doing.result()
        doing.cancel()
        with contextlib.suppress(BaseException):
            await doing
        raise ActorDiedError(f"{self.name} is dead")

    async def _gated(self, work: Callable[[], Awaitable[Any]]) -> Any:
        await self.node.thawed.wait()
        result = await work()
        await self.node.thawed.wait()
        return result

    async def call(self, method: str, args: tuple[Any, ...]) -> Any:
        await self._made.wait()
        _here.set(self.node)
        return await getattr(self.body, method)(*copy.deepcopy(args))


class FakeMethod:
    """`remote` calls the method. As in Ray, the call continues when its caller is gone."""

    def __init__(self, actor: FakeActor, name: str) -> None:
        self._actor = actor
        self._name = name

    def options(self, **options: Any) -> "FakeStream":
        return FakeStream(self._actor, self._name)

    def remote(self, *args: Any) -> "asyncio.Task[Any]":
        actor = self._actor
        call = asyncio.create_task(actor.reached(partial(actor.call, self._name, args)), name=self._name)
        call.add_done_callback(lambda done: done.cancelled() or done.exception())
        return call


class FakeStream:
    """A method that yields."""

    def __init__(self, actor: FakeActor, name: str) -> None:
        self._actor = actor
        self._name = name

    async def remote(self, *args: Any) -> "AsyncIterator[asyncio.Task[Any]]":
        actor = self._actor
        if actor.died.is_set():
            raise ActorDiedError(f"{actor.name} is dead")
        items = getattr(actor.body, self._name)(*args)
        while True:
            item = asyncio.create_task(actor.reached(partial(anext, items, None)), name=self._name)
            item.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.wait({item})
            if item.exception() is None and item.result() is None:
                return
            yield item


class FakeRay:
    """The module `ray`: actors by name, all in one namespace."""

    __version__ = "fake"

    def __init__(self, nodes: list[FakeNode]) -> None:
        self.nodes = nodes
        self.actors: dict[str, FakeActor] = {}
        self.exceptions = SimpleNamespace(
            ActorDiedError=ActorDiedError,
            ActorUnavailableError=ActorUnavailableError,
            ActorUnschedulableError=ActorUnschedulableError,
        )
        self.util = SimpleNamespace(list_named_actors=self._names)
        self.actor = SimpleNamespace(exit_actor=lambda: None)
        self.control = asyncio.Event()
        self.control.set()
        self.watch: Callable[[], None] = lambda: None

    def _names(self, all_namespaces: bool) -> list[str]:
        return [name for name, actor in self.actors.items() if not actor.died.is_set()]

    def remote(self, made: Any) -> Any:
        return SimpleNamespace(options=lambda **options: self._creator(made, options))

    def _creator(self, made: Any, options: dict[str, Any]) -> Any:
        return SimpleNamespace(remote=lambda *args: self._created(made, options, args))

    def _created(self, made: Any, options: dict[str, Any], args: tuple[Any, ...]) -> FakeActor:
        name = options["name"]
        existing = self.actors.get(name)
        if existing is not None and not existing.died.is_set():
            return existing
        (selector,) = options["label_selector"].values()
        node = next(each for each in self.nodes if each.id in selector)
        self.actors[name] = FakeActor(name, node, lambda: made(*args), self.watch)
        return self.actors[name]

    def get_actor(self, name: str) -> FakeActor:
        actor = self.actors.get(name)
        if actor is None or actor.died.is_set():
            raise ValueError(f"no actor {name}")
        return actor

    def kill(self, actor: FakeActor, no_restart: bool) -> None:
        actor.kill()

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_node_id=lambda: _here.get().id, gcs_address="127.0.0.1:1")
