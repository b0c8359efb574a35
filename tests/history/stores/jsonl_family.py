"""A family of stores for tests: one growing JSONL file for each session, `<root>/sessions/<id>.jsonl`.

Each line is a message, `{"role": …, "text": …, "ts": …}`, which may have `output` tokens; the first one may
name the `parent` of the session. What was read of a file is remembered, so that only what was appended is
read again, as a reader of real stores of this kind does.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sidecar.api.stored.tasks import (
    Mode,
    Product,
    Provenance,
    Rules,
    StoredMessage,
    TaskInfo,
    TokenUsage,
)
from sidecar.history.stored.reading import stamp_of
from sidecar.history.stores.contract import (
    Fingerprints,
    Keys,
    Kind,
    Messages,
    OpenedTask,
    Place,
    Root,
    Store,
    Touched,
)
from sidecar.history.stores.editors import Machine
from sidecar.history.stores.index_row import IndexRow, ReadRows, condense, make_row
from sidecar.history.stores.parallel import Parallel, nothing, sequential

PRODUCT: Product = "roo"
"""Any name that the wire knows."""
_SUFFIX = ".jsonl"


@dataclass
class Session:
    """What was read of a file so far."""

    offset: int = 0
    messages: list[StoredMessage] = field(default_factory=list)
    parent: str | None = None
    output: int = 0

    @property
    def total(self) -> int:
        return len(self.messages)

    def read(self, start: int, end: int) -> list[StoredMessage]:
        return self.messages[start:end]

    def since(self, start: int = 0) -> Iterator[StoredMessage]:
        return iter(self.messages[start:])


class JsonlStore(Store):
    """The sessions of one root."""

    shared_folders = ("sessions",)
    has_children = True

    def __init__(self, root: Root) -> None:
        self.root = root
        self.bytes_read = 0
        self._sessions: dict[str, Session] = {}

    def members(self) -> Keys:
        return [path.stem for path in Path(self.root.path, "sessions").glob(f"*{_SUFFIX}")]

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        meanwhile()
        return {key: condense((stamp_of(self.location(key)) or (),)) for key in keys}

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        return {key: self._row(key, now) for key in keys}

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        raise NotImplementedError("tests read without workers")

    def open(self, key: str, now: int) -> OpenedTask | None:
        session = self._read(key)
        if session is None or not session.messages:
            return None
        return OpenedTask(self._info(key, session), {"title": Provenance(source=f"{key}{_SUFFIX}")})

    def location(self, key: str) -> str:
        return str(Path(self.root.path, "sessions", key + _SUFFIX))

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        yield self._read(key) or Session()

    def touched(self, parts: Sequence[str]) -> Touched | None:
        match parts:
            case ["sessions", name] if name.endswith(_SUFFIX):
                return Touched(name.removesuffix(_SUFFIX))
        return None

    def _row(self, key: str, now: int) -> IndexRow | None:
        fingerprint = self.fingerprints([key])[key]
        opened = self.open(key, now)
        info = opened.info if opened is not None else None
        child_of = self._sessions[key].parent
        return make_row(key, self.root.path, fingerprint, info, touched=now, child_of=child_of)

    def _info(self, key: str, session: Session) -> TaskInfo:
        first, last = session.messages[0], session.messages[-1]
        return TaskInfo(
            id=key,
            title=first.text or "",
            status="completed" if last.role == "assistant" else "unknown",
            mode=Mode(),
            created_at=first.ts,
            last_activity=last.ts,
            message_count=session.total,
            token_usage=TokenUsage(total=session.output, output=session.output),
            parent_id=session.parent or None,
            outcome="unknown",
            root=self.root.path,
            product=PRODUCT,
            size_bytes=session.offset,
            problems=[],
        )

    def _read(self, key: str) -> Session | None:
        """Read what was appended since the last time, up to the last whole line."""
        session = self._sessions.setdefault(key, Session())
        try:
            with Path(self.location(key)).open("rb") as file:
                file.seek(session.offset)
                data = file.read()
        except FileNotFoundError:
            return None
        self.bytes_read += len(data)
        whole = data[: data.rfind(b"\n") + 1]
        session.offset += len(whole)
        for line in whole.splitlines():
            value = json.loads(line)
            session.parent = value.get("parent", session.parent)
            session.output += value.get("output", 0)
            session.messages.append(
                StoredMessage(
                    index=session.total,
                    ts=value["ts"],
                    role=value["role"],
                    kind="text",
                    text=value["text"],
                )
            )
        return session


class JsonlSessions:
    """Finds and opens such roots."""

    def recognizes(self, root: str) -> bool:
        return next(Path(root, "sessions").glob(f"*{_SUFFIX}"), None) is not None

    def product_of_path(self, path: str) -> Product | None:
        return None

    def places(self, machine: Machine) -> Iterator[Place]:
        yield Place(machine.home / ".agent", "sessions of the agent")

    def open(self, root: Root) -> JsonlStore:
        return JsonlStore(root)
