import { expect, test } from "vitest";

import type { HistoryPage } from "../../../src/panel/listMessages.js";
import type { SubagentInfo } from "../../../src/protocol.js";
import { MOST_ENDED } from "../../../src/runs/newestRuns.js";
import { elementsOf } from "../../../webview/model/conversation/elements.js";
import type { Event } from "../../../webview/model/events.js";
import { followsEnd, narrowed, shownOf } from "../../../webview/model/openRun.js";
import { END } from "../../../webview/model/range.js";
import { requestsOf } from "../../../webview/model/requests.js";
import { readSaved, restore, save } from "../../../webview/model/saved.js";
import { reduce } from "../../../webview/model/reduce.js";
import { INITIAL, launchable, type State } from "../../../webview/model/state.js";
import { message, numbered, row, task } from "../samples.js";

const RUNNING: Event = { type: "service", state: { kind: "running" } };
const RULE = `${"| --- ".repeat(9)}|`;
const OPEN: Event = { type: "openRun", taskId: "t1" };

function after(...events: Event[]): State {
  return events.reduce(reduce, INITIAL);
}

/** What the page asks of the extension because of the last event. */
function asked(...events: Event[]) {
  const before = after(...events.slice(0, -1));
  return events.slice(-1).flatMap((event) => requestsOf(before, reduce(before, event), event));
}

function definitions(...named: (Partial<SubagentInfo> & { name: string })[]): Event {
  const source = { path: "/a.md", level: "user" };
  const items = named.map((each) => ({ description: "", runner: "r", source, ...each }));
  return { type: "definitions", items, problems: [] };
}

const READY: Event[] = [RUNNING, definitions({ name: "tester" }), { type: "write", goal: "Do it" }];

test("a new run comes first in the list, a known one stays where it is", () => {
  const events: Event[] = ["a", "b"].map((id) => ({ type: "run", run: row({ id }) }));
  const state = after(...events, { type: "run", run: row({ id: "a", status: "failed" }) });
  expect(state.runs?.map(({ id, status }) => [id, status])).toEqual([
    ["b", "running"],
    ["a", "failed"],
  ]);
});

test("the first definition is chosen, unless one of the chosen name is there", () => {
  const both = definitions({ name: "one" }, { name: "two" });
  expect(after(both).draft.subagentName).toBe("one");
  expect(after({ type: "choose", subagentName: "two" }, both).draft.subagentName).toBe("two");
  expect(after({ type: "choose", subagentName: "gone" }, both).draft.subagentName).toBe("one");
});

test("a shadowed definition cannot be launched", () => {
  const state = after(definitions({ name: "a", shadowedBy: "/b.md" }, { name: "a" }));
  expect(launchable(state)).toHaveLength(1);
});

test("a launch is asked for once, however often it is submitted", () => {
  expect(asked(...READY, { type: "submit" })).toEqual([
    { type: "launch", subagentName: "tester", goalPrompt: "Do it", queue: false },
  ]);
  expect(asked(...READY, { type: "submit" }, { type: "submit" })).toEqual([]);
  expect(
    asked(...READY, { type: "submit" }, { type: "write", goal: "x" }, { type: "submit" }),
  ).toEqual([]);
});

test.each<[string, Event[]]>([
  ["without a goal", [RUNNING, definitions({ name: "a" }), { type: "write", goal: " \n" }]],
  ["without a subagent", [RUNNING, { type: "write", goal: "x" }]],
  ["before subagents are known", [{ type: "write", goal: "x" }]],
  ["without a sidecar", [...READY, { type: "service", state: { kind: "failed" } }]],
  ["in Restricted Mode", [...READY, { type: "service", state: { kind: "untrusted" } }]],
])("%s a launch is refused in words", (_, events) => {
  expect(after(...events, { type: "submit" }).launch.kind).toBe("refused");
  expect(asked(...events, { type: "submit" })).toEqual([]);
});

test.each(["settingUp", "starting", "restarting"] as const)(
  "while the sidecar is %s, a launch waits for it",
  (kind) => {
    expect(asked(...READY, { type: "service", state: { kind } }, { type: "submit" })).toEqual([
      { type: "launch", subagentName: "tester", goalPrompt: "Do it", queue: false },
    ]);
  },
);

test("live runs stay listed, however many there are; of those that ended, the newest", () => {
  const [live, ended] = (["queued", "completed"] as const).map((status) =>
    Array.from({ length: MOST_ENDED }, (_, at) => row({ id: `${status} ${at}`, status })),
  );
  const { runs = [] } = after(
    { type: "runs", runs: [...(ended ?? []), ...(live ?? [])] },
    { type: "run", run: row({ id: "new", status: "completed" }) },
  );
  expect(runs.filter(({ status }) => status === "queued")).toHaveLength(MOST_ENDED);
  expect(runs[0]?.id).toBe("new");
  expect(runs).toHaveLength(2 * MOST_ENDED);
});

test("a launch opens its conversation and empties the goal", () => {
  const events: Event[] = [
    ...READY,
    { type: "submit" },
    { type: "launched", taskId: "t9", sent: { goalPrompt: "Do it" } },
  ];
  expect(after(...events)).toMatchObject({ draft: { goal: "" }, open: { taskId: "t9" } });
  expect(asked(...events)).toEqual([
    { type: "follow", taskId: "t9", afterSeq: 0 },
    { type: "noted" },
  ]);
});

test.each([true, false])(
  "a goal that is written during a launch stays, and is not interrupted (editors: %s)",
  (opensElsewhere) => {
    const events: Event[] = [
      ...READY,
      { type: "settings", opensElsewhere },
      { type: "write", goal: "First" },
      { type: "submit" },
      { type: "write", goal: "Next" },
      { type: "attached", paths: ["/w/a.png"] },
      { type: "launched", taskId: "t9", sent: { goalPrompt: "First" } },
    ];
    const state = after(...events);
    expect(state).toMatchObject({ draft: { goal: "Next", files: ["/w/a.png"] } });
    expect([state.launch, state.open]).toEqual([{ kind: "idle" }, undefined]);
    const opening = { type: "act", action: "openConversation", task: { id: "t9" }, isAway: true };
    expect(asked(...events)).toEqual([...(opensElsewhere ? [opening] : []), { type: "noted" }]);
  },
);

test("a file that cannot be attached during a launch is named, and nothing is launched twice", () => {
  const failed: Event = { type: "attachFailed", message: "x is not a file." };
  const waiting: Event[] = [...READY, { type: "submit" }, failed];
  expect(after(...waiting).launch).toMatchObject({ kind: "sending", message: "x is not a file." });
  expect(asked(...waiting, { type: "submit" })).toEqual([]);
  const refused = { kind: "refused", message: "x is not a file." };
  expect(
    after(...waiting, { type: "launched", taskId: "t9", sent: { goalPrompt: "Do it" } }).launch,
  ).toEqual(refused);
  expect(after(...waiting, { type: "launchDropped" }).launch).toEqual(refused);
  const written: Event[] = [...waiting, { type: "write", goal: "Do it all" }];
  expect(after(...written, { type: "launchDropped" }).launch).toEqual({ kind: "idle" });
});

test("launching again during a launch waits for its answer", () => {
  const given: Event = { type: "task", task: task({ subagentName: "tester", goalPrompt: "g" }) };
  const waiting: Event[] = [...READY, { type: "submit" }, OPEN, given, { type: "launchAgain" }];
  expect(asked(...waiting, { type: "submit" })).toEqual([]);
  const answered: Event[] = [
    ...waiting,
    { type: "launched", taskId: "t9", sent: { goalPrompt: "Do it" } },
  ];
  expect(after(...answered)).toMatchObject({ draft: { goal: "g" }, launch: { kind: "idle" } });
  expect(asked(...answered, { type: "submit" })).toMatchObject([{ goalPrompt: "g" }]);
});

test("over the limit a launch can be queued, and keeps its goal until then", () => {
  const refused: Event[] = [
    ...READY,
    { type: "submit" },
    { type: "launchFailed", message: "5 of 5 run", canQueue: true, sent: { goalPrompt: "Do it" } },
  ];
  expect(after(...refused)).toMatchObject({ draft: { goal: "Do it" }, launch: { canQueue: true } });
  expect(asked(...refused, { type: "queue" })).toMatchObject([{ type: "launch", queue: true }]);
});

test("opening follows from the start, leaving stops and looks for new definitions", () => {
  expect(asked(OPEN)).toEqual([{ type: "follow", taskId: "t1", afterSeq: 0 }]);
  expect(asked(OPEN, OPEN)).toEqual([]);
  expect(asked(OPEN, { type: "closeRun" })).toEqual([{ type: "unfollow" }, { type: "refresh" }]);
});

test("events of another run change nothing", () => {
  const events = numbered([message("a", "x")]);
  const state = after(OPEN, { type: "events", taskId: "other", events });
  expect(state.open?.stream.lastSeq).toBe(0);
});

test("a batch is answered, also one that brings nothing new", () => {
  const first = manyMessages(3);
  expect(asked(OPEN, first)).toEqual([{ type: "seen", taskId: "t1" }]);
  expect(asked(OPEN, first, first)).toEqual([{ type: "seen", taskId: "t1" }]);
  expect(asked(OPEN, { type: "events", taskId: "other", events: [] })).toEqual([]);
});

test("for a reader elsewhere a batch over a gap is answered when they come to the end", () => {
  const reading: Event[] = [OPEN, manyMessages(3), { type: "leaveEnd" }];
  expect(asked(...reading, manyMessages(1, 500))).toEqual([]);
  expect(asked(...reading, manyMessages(1, 500), { type: "jumpToEnd" })).toEqual([
    { type: "seen", taskId: "t1" },
  ]);
});

test("before the first event that is here earlier ones are asked for, once", () => {
  const late: Event[] = [OPEN, manyMessages(1, 500)];
  const request = { type: "page", taskId: "t1", side: "before", seq: 500 };
  expect(asked(...late, { type: "earlier" })).toEqual([request]);
  expect(asked(...late, { type: "earlier" }, { type: "earlier" })).toEqual([]);
});

test("earlier events that come are shown", () => {
  const page = numbered(
    [1, 2].map((at) => message(`e${at}`, `early ${at}`)),
    498,
  );
  const state = after(
    OPEN,
    manyMessages(1, 500),
    { type: "earlier" },
    {
      type: "page",
      taskId: "t1",
      side: "before",
      seq: 500,
      events: page,
    },
  );
  const shown = state.open && shownOf(state.open);
  expect(shown && shown.end - shown.start).toBe(3);
  expect(state.open?.loading).toBeUndefined();
});

test("a cancel is asked for once and shows until the run has ended", () => {
  const cancel: Event = { type: "cancelRun" };
  expect(asked(OPEN, cancel)).toEqual([{ type: "cancel", taskId: "t1" }]);
  expect(asked(OPEN, cancel, cancel)).toEqual([]);
  const running = after(OPEN, cancel, { type: "run", run: row() });
  expect(running.cancelling.has("t1")).toBe(true);
  const ended = reduce(running, { type: "run", run: row({ status: "cancelled" }) });
  expect(ended.cancelling.size).toBe(0);
});

test("a cancel that failed says why and can be tried again", () => {
  const failed: Event = { type: "cancelFailed", taskId: "t1", message: "no" };
  expect(after(OPEN, { type: "cancelRun" }, failed).open?.problem).toBe("no");
  expect(asked(OPEN, { type: "cancelRun" }, failed, { type: "cancelRun" })).toHaveLength(1);
});

test("launching again takes over the subagent and the goal", () => {
  const given: Event = { type: "task", task: task({ subagentName: "s", goalPrompt: "g" }) };
  const state = after(OPEN, given, { type: "launchAgain" });
  expect(state).toMatchObject({ draft: { subagentName: "s", goal: "g" } });
  expect(state.open).toBeUndefined();
});

function manyMessages(count: number, first = 1): Event {
  const messages = Array.from({ length: count }, (_, at) => message(`m${first + at}`, "x"));
  return { type: "events", taskId: "t1", events: numbered(messages, first) };
}

/** How many of the lightest items are shown of the end. */
const END_ITEMS = END / 400;

test("an end that does not fill the page is extended by earlier events, and still followed", () => {
  const late: Event[] = [OPEN, manyMessages(1, 500)];
  const request = { type: "page", taskId: "t1", side: "before", seq: 500 };
  expect(asked(...late, { type: "widen" })).toEqual([request]);
  const events = numbered([message("e", "early")], 499);
  const page: Event = { type: "page", taskId: "t1", side: "before", seq: 500, events };
  const { open } = after(...late, { type: "widen" }, page);
  expect(open && followsEnd(open) && shownOf(open)).toEqual({ start: -1, end: 1 });
});

test("an end that is extended keeps events that arrived since it was drawn", () => {
  const output = "x".repeat(20_000);
  const calls = Array.from({ length: 60 }, (_, at) => {
    return { type: "tool", toolCallId: `c${at}`, name: "r", status: "completed", output } as const;
  });
  const all = numbered(calls);
  const events = (from: number, to: number): Event => {
    return { type: "events", taskId: "t1", events: all.slice(from, to) };
  };
  const widened = (times: number): Event[] =>
    Array.from({ length: times }, () => ({ type: "widen" }));
  const page = { type: "page", taskId: "t1", side: "before", seq: 6 } as const;
  const { open } = after(
    ...[OPEN, events(5, 40), ...widened(3)],
    { type: "inView", range: { start: 0, end: 35 } },
    ...[events(40, 60), ...widened(3), { ...page, events: all.slice(0, 5) }],
  );
  expect(open && followsEnd(open) && [shownOf(open), open.stream.lastSeq]).toEqual([
    { start: -5, end: 55 },
    60,
  ]);
});

test("only the end of a flood is shown until it is drawn, and then more of it", () => {
  const shown = ({ open }: State) => open && shownOf(open);
  const before = after(OPEN, manyMessages(50), { type: "widen" });
  expect(shown(before)).toEqual({ start: 50 - 2 * END_ITEMS, end: 50 });
  const drawn = shown(before) ?? { start: 0, end: 0 };
  const half = ({ open }: State) => open && narrowed(open, drawn, 1 / 2);
  expect(half(reduce(before, manyMessages(END_ITEMS - 1, 51)))).toBeUndefined();
  const flooded = reduce(before, manyMessages(END_ITEMS, 51));
  expect(half(flooded)).toBe(END);
  const narrow = reduce(flooded, { type: "narrow", weight: END });
  expect(shown(narrow)).toEqual({ start: 50, end: 50 + END_ITEMS });
  expect(shown(reduce(narrow, { type: "widen" }))).toEqual({
    start: 50 - END_ITEMS,
    end: 50 + END_ITEMS,
  });
});

test("a flood never draws more at once than a frame can", () => {
  const widened = Array.from({ length: 7 }, (): Event => ({ type: "widen" }));
  const before = after(OPEN, manyMessages(500), ...widened);
  const flooded = reduce(before, manyMessages(500, 501));
  const drawn = (before.open && shownOf(before.open)) ?? { start: 0, end: 0 };
  expect(flooded.open && narrowed(flooded.open, drawn, 1)).toBeLessThan(2 * END);
});

/** The elements that the items shown of the open run make, as far as their marks show. */
function elementsShown({ open }: State): number {
  const { start, end } = (open && shownOf(open)) ?? { start: 0, end: 0 };
  const { dropped = 0, items = [] } = open?.stream.conversation ?? {};
  return items
    .slice(start - dropped, end - dropped)
    .reduce((sum, item) => sum + (item.kind === "message" ? elementsOf(item.block.text) : 0), 0);
}

test.each([
  ["emphasized words", "*a* ".repeat(20_000)],
  ["pieces of code", "`a` ".repeat(20_000)],
  ["rows of a table", `${"| a ".repeat(9)}|\n`.repeat(2_000).replace("\n", `\n${RULE}\n`)],
])(
  "a frame draws at most 500 elements of a flood of %s, and so does each that adds to it",
  (_, text) => {
    const widened = Array.from({ length: 7 }, (): Event => ({ type: "widen" }));
    const before = after(OPEN, manyMessages(500), ...widened);
    const drawn = (before.open && shownOf(before.open)) ?? { start: 0, end: 0 };
    const events = numbered([message("dense", text)], 501);
    const flooded = reduce(before, { type: "events", taskId: "t1", events });
    const weight = flooded.open && narrowed(flooded.open, drawn, 1);
    let state = reduce(flooded, { type: "narrow", weight: weight ?? Infinity });
    let drawnBefore = 0;
    for (let frame = 0; frame < 5; frame += 1) {
      const shown = elementsShown(state);
      expect(shown - drawnBefore).toBeLessThanOrEqual(500);
      drawnBefore = shown;
      state = reduce(state, { type: "widen" });
    }
  },
);

test("a flood does not narrow what a reader reads", () => {
  const { open } = after(OPEN, manyMessages(50), { type: "leaveEnd" }, manyMessages(500, 51));
  expect(open && narrowed(open, shownOf(open), 1)).toBeUndefined();
});

test("what a reader reads stays while more arrives, until they come to the end", () => {
  const reading = after(OPEN, manyMessages(500), { type: "leaveEnd" }, manyMessages(15, 501));
  const start = 500 - END_ITEMS;
  expect(reading.open && shownOf(reading.open)).toEqual({ start, end: 500 });
  const further = reduce(reading, { type: "reachEnd" });
  expect(further.open && shownOf(further.open)).toEqual({ start, end: 515 });
  expect(reduce(further, { type: "reachEnd" }).open?.reading).toBeUndefined();
});

test("the latest is one step away", () => {
  const state = after(OPEN, manyMessages(500), { type: "earlier" }, { type: "jumpToEnd" });
  expect(state.open && shownOf(state.open)).toEqual({ start: 500 - END_ITEMS, end: 500 });
});

test("a page made again begins where the last one was left", () => {
  const left = after(...READY, OPEN, manyMessages(500), { type: "leaveEnd" });
  const saved: unknown = JSON.parse(JSON.stringify(save(left, { seq: 300, below: 12 })));
  const restored = restore(saved);
  expect(restored).toMatchObject({ draft: { goal: "Do it", subagentName: "tester" } });
  const early = reduce(restored, manyMessages(100));
  expect(early.open && shownOf(early.open)).toEqual({ start: 0, end: 0 });
  const events = numbered(
    Array.from({ length: 200 }, (_, at) => message(`m${160 + at}`, "x")),
    160,
  );
  const state = reduce(early, { type: "page", taskId: "t1", side: "before", seq: 360, events });
  const { items, dropped } = state.open?.stream.conversation ?? { items: [], dropped: 0 };
  const shown = state.open && shownOf(state.open);
  const seqs = shown && items.slice(shown.start - dropped, shown.end - dropped).map((i) => i.seq);
  expect(seqs).toContain(300);
  expect(readSaved(saved).reading).toEqual({ seq: 300, below: 12 });
  expect(restored.open?.at).toBe(300);
});

test("a draft for several subagents survives the page", () => {
  const left = after(...READY, { type: "alsoUse", subagentName: "fixer", isUsed: true });
  const restored = restore(JSON.parse(JSON.stringify(save(left, undefined))));
  expect(restored.draft.also).toEqual(["fixer"]);
  expect(restore({ goal: "g", also: [7] }).draft).toEqual({ goal: "g" });
});

test.each([
  undefined,
  null,
  7,
  "x",
  { goal: 1, taskId: 2, reading: "r" },
  { reading: { seq: "0" } },
])("of a saved state that is none (%j), nothing is taken", (value) => {
  expect(restore(value)).toEqual(INITIAL);
});

test("on the way to the last row, the history is requested part by part until it is whole", () => {
  const options = { scope: "all", sort: "recent", filter: "", totals: "" } as const;
  const page = (from: number, count: number, more: Partial<HistoryPage> = {}): Event => {
    const rows = Array.from({ length: count }, (_, at) => ({
      ...{ id: `s${from + at}`, root: "/r", title: "" },
      ...({ status: "completed", outcome: "completed", product: "roo" } as const),
    }));
    const counts = { matched: 6, total: 6, hasMore: from + count < 6 };
    return { type: "history", page: { ...options, ...counts, rows, from, ...more } };
  };
  const request = [{ type: "moreHistory" }];
  const begun: Event[] = [page(0, 2), { type: "seekEnd" }];
  expect(asked(...begun)).toEqual(request);
  expect(asked(...begun, page(2, 2))).toEqual(request);
  expect(asked(...begun, page(2, 2), page(4, 2))).toEqual([]);
  expect(asked(...begun, page(2, 2, { problem: "The disk is gone." }))).toEqual([]);
  expect(asked(...begun, page(2, 0, { hasMore: true }))).toEqual([]); // a read that failed
  expect(asked(page(0, 6), { type: "seekEnd" })).toEqual([]);
});
