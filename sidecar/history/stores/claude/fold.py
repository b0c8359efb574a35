"""Fold the records of one file into the facts of its session and of the subagents inside of it. Pure."""

from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from sidecar.history.stores.append_only.times import sortable
from sidecar.history.stores.claude.facts import Facts
from sidecar.history.stores.claude.layout import chain_key
from sidecar.history.stores.claude.prompts import input_of
from sidecar.history.stores.claude.records import SYNTHETIC, Record

_TOOL_USE: Final = b'"tool_use"'
_CONTINUES: Final = frozenset({"tool_use", "pause_turn"})
_TURN_ENDS: Final = frozenset({"turn_duration", "stop_hook_summary"})
_MAX_TITLE: Final = 20_000
"""The characters of a prompt that are kept for the title."""


class ThreadFold:
    """Fold the records of one thread: a session, or a subagent.

    `foreign` are the ids of records, and the keys of answers, that belong to another session.
    """

    __slots__ = ("_foreign", "_foreign_answers", "_prompted", "facts")

    def __init__(self, foreign: Collection[str] = (), foreign_answers: Collection[str] = ()) -> None:
        self.facts = Facts()
        self._foreign = foreign
        self._foreign_answers = foreign_answers
        self._prompted: set[str] = set()

    def take(self, record: Record) -> None:
        """Add one record."""
        facts, uuid = self.facts, record.uuid
        time = record.timestamp
        if time[10:11] != "T" or time[23:] != "Z" or time[:2] != "20":  # nearly always in the form that sorts
            time = sortable(time)
        if time > facts.end:
            facts.end = time
        if uuid:
            if record.parent_uuid is None or not facts.uuids:
                facts.starts.append(uuid)
            facts.uuids.append(uuid)
            if self._foreign and uuid in self._foreign:
                self._take_copied(record)
                return
        if time:
            if time > facts.last:
                facts.last = time
            if not facts.first or time < facts.first:
                facts.first = time
        if not facts.cwd and record.cwd:
            facts.cwd = record.cwd
        if not facts.session and record.session_id:
            facts.session = record.session_id
        kind = record.type
        if kind == "assistant":
            self._take_answer(record)
        elif kind == "user":
            self._take_user(record)
        elif kind == "system":
            if facts.state == "unclear" and record.subtype in _TURN_ENDS and not _calls(facts.content):
                facts.state = "answered"
        elif kind != "progress":
            self._take_title(record)

    def _take_copied(self, record: Record) -> None:
        """Take from a copied record what helps to name and place the session."""
        facts = self.facts
        if not facts.copied_cwd and record.cwd:
            facts.copied_cwd = record.cwd
        if record.type == "user" and not facts.titles.prompt:
            self._take_prompt_title(record)

    def _take_prompt_title(self, record: Record) -> bool:
        given = input_of(record)
        titles = self.facts.titles
        if given.kind == "typed" and not titles.prompt:
            titles.prompt = given.text[:_MAX_TITLE]
        elif given.kind == "wrapper" and not titles.command:
            titles.command = given.text[:_MAX_TITLE]
        return given.kind == "typed"

    def _take_user(self, record: Record) -> None:
        facts = self.facts
        if len(record.tool_use_result):
            facts.state = "open"
            return
        given = input_of(record)
        match given.kind:
            case "typed":
                if not record.uuid or record.uuid not in self._prompted:
                    facts.prompts += 1
                    self._prompted.add(record.uuid)
                if not facts.titles.prompt:
                    facts.titles.prompt = given.text[:_MAX_TITLE]
                facts.state = "open"
            case "result":
                facts.state = "open"
            case "interrupt":
                facts.state = "cancelled"
            case "wrapper":
                if not facts.titles.command:
                    facts.titles.command = given.text[:_MAX_TITLE]

    def _take_answer(self, record: Record) -> None:
        facts, message = self.facts, record.message
        if record.is_api_error_message:
            facts.state = "failed"
            return
        if message is None or message.model == SYNTHETIC:
            return
        reason = message.stop_reason
        if reason is None:
            facts.state, facts.content = "unclear", message.content
        else:
            facts.state = "open" if reason in _CONTINUES else "answered"
        key = f"{message.id} {record.request_id}" if message.id else record.uuid
        if self._foreign_answers and key in self._foreign_answers:
            facts.copied_answers.add(key)
            return
        if message.model:
            facts.model = message.model
        known, usage = facts.answers.get(key), message.usage
        if known is None or (usage is not None and usage.output_tokens > known.output_tokens):
            facts.answers[key] = usage
            if record.cost_usd is not None:
                facts.costs[key] = record.cost_usd

    def _take_title(self, record: Record) -> None:
        titles = self.facts.titles
        if record.type == "custom-title" and record.custom_title:
            titles.custom = record.custom_title
        elif record.type == "ai-title" and record.ai_title:
            titles.ai = record.ai_title
        elif record.type == "summary" and record.summary:
            titles.summaries.append((record.leaf_uuid or "", record.summary))


def _calls(content: msgspec.Raw | None) -> bool:
    """Return whether an answer calls a tool."""
    return content is not None and _TOOL_USE in bytes(content)


class FileFold:
    """Fold the records of a session's file; records of subagents inside of it are threads of their own.

    With `agent` the file is a subagent's own: its records are one thread, whatever they are marked as.
    """

    __slots__ = ("_agent", "_chains", "_foreign", "main", "sidechains")

    def __init__(
        self,
        agent: bool = False,
        foreign: Collection[str] = (),
        foreign_answers: Collection[str] = (),
    ) -> None:
        self.main = ThreadFold(foreign, foreign_answers)
        self.sidechains: dict[str, ThreadFold] = {}
        """Threads by the id of their first record."""
        self._agent = agent
        self._foreign = (foreign, foreign_answers)
        self._chains: dict[str, str] = {}
        """The thread of each record of a subagent."""

    def take(self, records: Iterable[Record]) -> None:
        """Add records in the order of the file."""
        take = self.main.take
        if self._agent:
            for record in records:
                take(record)
            return
        for record in records:
            if record.is_sidechain:
                self._sidechain(record).take(record)
            else:
                take(record)

    def _sidechain(self, record: Record) -> ThreadFold:
        root = self._chains.get(record.parent_uuid or "") or chain_key(record.uuid)
        if root not in self.sidechains:
            self.sidechains[root] = ThreadFold(*self._foreign)
        self._chains[record.uuid] = root
        return self.sidechains[root]
