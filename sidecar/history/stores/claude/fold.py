"""Fold the records of one file into the facts of its session and of the subagents inside of it. Pure."""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from sidecar.history.stores.append_only.times import sortable, span
from sidecar.history.stores.claude.facts import Facts
from sidecar.history.stores.claude.layout import chain_key
from sidecar.history.stores.claude.prompts import input_of, is_surely_typed
from sidecar.history.stores.claude.records import NOTHING, SYNTHETIC, Record
from sidecar.history.stores.sessions.usage import dollars, is_more

_TOOL_USE: Final = b'"tool_use"'
_CONTINUES: Final = frozenset({"tool_use", "pause_turn"})
_TURN_ENDS: Final = frozenset({"turn_duration", "stop_hook_summary"})
_KEEP_THE_STATE: Final = frozenset({"wrapper", "meta"})
"""The kinds of `user` records that leave the state as it is."""
_MAX_TITLE: Final = 20_000
"""The characters of a prompt that are kept for the title."""


class ThreadFold:
    """Fold the records of one thread: a session, or a subagent.

    `foreign` are the IDs of records, and the keys of answers, that belong to another session.
    """

    __slots__ = ("_foreign", "_foreign_answers", "_prompted", "facts")

    def __init__(self, foreign: Collection[str] = (), foreign_answers: Collection[str] = ()) -> None:
        self.facts = Facts()
        self._foreign = foreign
        self._foreign_answers = foreign_answers
        self._prompted: set[str] = set()

    def take(self, records: Sequence[Record]) -> None:
        """Add records in the order of the file."""
        foreign = self._foreign
        self._take_ids(records)
        self._take_places(
            [record for record in records if record.uuid not in foreign] if foreign else records, records
        )
        answers: list[Record] = []
        settled = 0
        """How many of the answers came before the last record that decides the state."""
        for record in records:
            kind = record.type
            if foreign and record.uuid in foreign:
                self._take_copied(record)
            elif kind == "assistant":
                answers.append(record)
            elif kind == "user":
                if self._take_user(record):
                    settled = len(answers)
            elif kind == "system":
                self._take_end(answers[settled:])
                settled = len(answers)
                self._take_system(record)
            elif kind != "progress":
                self._take_title(record)
        self._take_end(answers[settled:])
        self._take_answers(answers)

    def _take_ids(self, records: Sequence[Record]) -> None:
        facts = self.facts
        starts = [record.uuid for record in records if record.parent_uuid is None and record.uuid]
        uuids = [record.uuid for record in records if record.uuid]
        if not facts.uuids:
            facts.is_branch = next((_is_copy(record) for record in records if record.uuid), False)
        if not facts.uuids and starts[:1] != uuids[:1]:  # the first one may be where a copy was cut
            starts = uuids[:1] + starts
        facts.starts += starts
        facts.uuids += uuids
        if not facts.never_copied and len(uuids) < len(records):
            facts.never_copied = span([record.timestamp for record in records if not record.uuid])[0]

    def _take_places(self, own: Sequence[Record], records: Sequence[Record]) -> None:
        """Take the times and the folder that own records state, and some times of all records."""
        facts = self.facts
        first, last = span([record.timestamp for record in own])
        facts.last = max(facts.last, last)
        facts.first = min(facts.first or first, first or facts.first)
        facts.end = max(facts.end, last if own is records else span([each.timestamp for each in records])[1])
        if not facts.start:
            stated = next((each.timestamp for each in records if each.uuid and each.timestamp), "")
            facts.start = sortable(stated)
        if not facts.cwd:
            facts.cwd = next((record.cwd for record in own if record.cwd), "")
        if not facts.session:
            facts.session = next((record.session_id for record in own if record.session_id), "")

    def _take_system(self, record: Record) -> None:
        facts = self.facts
        if facts.state == "unclear" and record.subtype in _TURN_ENDS and not _calls(facts.content):
            facts.state = "answered"

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

    def _take_user(self, record: Record) -> bool:
        """Add a `user` record; return whether it decides the state, whatever came before."""
        facts = self.facts
        if record.tool_use_result is not NOTHING:
            facts.state = "open"
            return True
        if facts.titles.prompt and is_surely_typed(record):
            self._count_prompt(record)
            return True
        given = input_of(record)
        match given.kind:
            case "typed":
                if not facts.titles.prompt:
                    facts.titles.prompt = given.text[:_MAX_TITLE]
                self._count_prompt(record)
            case "result":
                facts.state = "open"
            case "interrupt":
                facts.state = "cancelled"
            case "wrapper":
                if not facts.titles.command:
                    facts.titles.command = given.text[:_MAX_TITLE]
        return given.kind not in _KEEP_THE_STATE

    def _count_prompt(self, record: Record) -> None:
        facts, uuid = self.facts, record.uuid
        if not uuid or uuid not in self._prompted:
            facts.prompts += 1
            self._prompted.add(uuid)
        facts.state = "open"

    def _take_answers(self, records: Sequence[Record]) -> None:
        """Add records of answers; nothing depends on what is between them."""
        answers, foreign, first = self.facts.answers, self._foreign_answers, self.facts.first_model
        model = ""
        for record in records:
            message = record.message
            if message is None or record.is_api_error_message or message.model == SYNTHETIC:
                continue
            key = f"{message.id} {record.request_id}" if message.id else record.uuid
            if foreign and key in foreign:
                self.facts.copied_answers.add(key)
                continue
            model = message.model or model
            known, usage = answers.get(key), message.usage
            if known is None or (usage is not None and is_more(usage.output_tokens, known.output_tokens)):
                answers[key] = usage
                if (current := model or self.facts.model) != first:
                    first = self._take_model(key, current)
                if record.cost_usd is not None and (cost := dollars(record.cost_usd)) is not None:
                    self.facts.costs[key] = cost
        if model:
            self.facts.model = model

    def _take_model(self, key: str, model: str) -> str:
        """Take the model of an answer that is not the first one; return the first one."""
        facts = self.facts
        if len(facts.answers) == 1:
            facts.first_model = model
        else:
            facts.models[key] = model
        return facts.first_model

    def _take_end(self, records: Sequence[Record]) -> None:
        """Take how the last of some answers leaves the session."""
        facts = self.facts
        for record in reversed(records):
            message = record.message
            if record.is_api_error_message:
                facts.state = "failed"
            elif message is None or message.model == SYNTHETIC:
                continue
            elif message.stop_reason is None:
                facts.state, facts.content = "unclear", message.content
            else:
                facts.state = "open" if message.stop_reason in _CONTINUES else "answered"
            return

    def _take_title(self, record: Record) -> None:
        titles = self.facts.titles
        if record.type == "custom-title" and record.custom_title:
            titles.custom = record.custom_title
        elif record.type == "ai-title" and record.ai_title:
            titles.ai = record.ai_title
        elif record.type == "summary" and record.summary:
            titles.summaries.append((record.leaf_uuid or "", record.summary))


def _is_copy(record: Record) -> bool:
    """Return whether `/branch` copied a record, which it marks."""
    return bytes(record.forked_from).startswith(b"{")


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
        """Threads by the ID of their first record."""
        self._agent = agent
        self._foreign = (foreign, foreign_answers)
        self._chains: dict[str, str] = {}
        """The thread of each record of a subagent."""

    def take(self, records: Sequence[Record]) -> None:
        """Add records in the order of the file."""
        inside = [] if self._agent else [record for record in records if record.is_sidechain]
        if not inside:
            self.main.take(records)
            return
        self.main.take([record for record in records if not record.is_sidechain])
        threads: dict[str, list[Record]] = {}
        for record in inside:
            threads.setdefault(self._chain_of(record), []).append(record)
        for chain, part in threads.items():
            if chain not in self.sidechains:
                self.sidechains[chain] = ThreadFold(*self._foreign)
            self.sidechains[chain].take(part)

    def _chain_of(self, record: Record) -> str:
        chain = self._chains.get(record.parent_uuid or "") or chain_key(record.uuid)
        self._chains[record.uuid] = chain
        return chain
