import { expect, test } from "vitest";

import { readChanges, RunChanges } from "../../../src/review/runChanges.js";
import { isSameFile } from "../../../src/text/places.js";
import type { EventsResult, TaskEvent, ToolContent } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";

function edit(seq: number, path: string, oldText: string, newText: string): TaskEvent {
  const content: ToolContent[] = [{ type: "diff", path, oldText, newText }];
  return { type: "tool", seq, ts: seq, name: "edit", status: "completed", content };
}

/** A sidecar whose run has these events, in pages of two. */
function serviceOf(events: readonly TaskEvent[]): Pick<SubagentService, "request"> {
  const request = (_: string, { afterSeq }: { afterSeq: number }) => {
    const rest = events.filter(({ seq }) => seq > afterSeq);
    const page = { events: rest.slice(0, 2), lastSeq: events.length, more: rest.length > 2 };
    return Promise.resolve<EventsResult>({ ...page, revision: 1 });
  };
  return { request } as unknown as Pick<SubagentService, "request">;
}

async function editsOf(events: readonly TaskEvent[]) {
  return (await readChanges(serviceOf(events), "t")).edits(true);
}

test("changes that follow from each other are one, from the first text to the last", async () => {
  const events = [
    edit(1, "/w/a.py", "1", "2"),
    edit(2, "/w/b.py", "x", "y"),
    edit(3, "/w/a.py", "2", "3"),
  ];
  expect(await editsOf(events)).toEqual([
    { path: "/w/a.py", before: { seq: 1, index: 0 }, after: { seq: 3, index: 0 } },
    { path: "/w/b.py", before: { seq: 2, index: 0 }, after: { seq: 2, index: 0 } },
  ]);
});

test("parts of a file that do not follow from each other stay apart", async () => {
  const events = [edit(1, "/w/a.py", "1", "2"), edit(2, "/w/a.py", "8", "9")];
  expect(await editsOf(events)).toHaveLength(2);
});

test("a call that repeats its change when it ends counts once", async () => {
  const events = [edit(1, "/w/a.py", "1", "2"), edit(2, "/w/a.py", "1", "2")];
  expect(await editsOf(events)).toHaveLength(1);
});

test("a path inside the folder names the same file as the whole path", () => {
  expect(isSameFile("/w/src/a.py", "src/a.py")).toBe(true);
  expect(isSameFile("/w/src/aa.py", "a.py")).toBe(false);
});

/** A change of a call, as it begins or ends. */
function call(
  seq: number,
  status: "started" | "completed" | "failed",
  hasContent = true,
): TaskEvent {
  const event = edit(seq, "/w/a.py", "1", "2");
  return { ...event, toolCallId: "c", status, ...(hasContent ? {} : { content: [] }) } as TaskEvent;
}

test("a change counts when its call has ended, and of an ended run also without", () => {
  const changes = new RunChanges();
  changes.add([call(1, "started")]);
  expect(changes.edits(false)).toEqual([]);
  expect(changes.edits(true)).toHaveLength(1);
  changes.add([call(2, "completed", false)]);
  expect(changes.edits(false)).toMatchObject([{ before: { seq: 1 }, after: { seq: 1 } }]);
  expect(changes.edits(true)).toHaveLength(1);
});

test("a change whose call failed was not made", () => {
  const changes = new RunChanges();
  changes.add([call(1, "started"), call(2, "failed")]);
  expect(changes.edits(true)).toEqual([]);
  expect(changes.revision).toBe(0);
});
