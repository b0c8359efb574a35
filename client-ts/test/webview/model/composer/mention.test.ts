import { expect, test } from "vitest";

import { type Spot, spotAt } from "../../../../webview/model/composer/mention.js";
import { requestsOf } from "../../../../webview/model/requests.js";
import { reduce } from "../../../../webview/model/reduce.js";
import { INITIAL, type State } from "../../../../webview/model/state.js";
import type { Event } from "../../../../webview/model/events.js";

const SPOT: Spot = { kind: "file", text: "da", start: 4, end: 7 };
const FOUND: Event = { type: "foundFiles", text: "da", paths: ["a/days.py", "data.txt"] };

function after(...events: readonly Event[]): State {
  return events.reduce(reduce, INITIAL);
}

test.each([
  ["Fix @da", 7, SPOT],
  ["Fix @data and more", 7, SPOT],
  ["@", 1, { kind: "file", text: "", start: 0, end: 1 }],
  ["see (@src/x", 11, { kind: "file", text: "src/x", start: 5, end: 11 }],
  ["/rev", 4, { kind: "command", text: "rev", start: 0, end: 4 }],
  ["/", 1, { kind: "command", text: "", start: 0, end: 1 }],
  ["/review @da", 11, { kind: "file", text: "da", start: 8, end: 11 }],
  ["/review the", 11, undefined],
  ["Run /rev", 8, undefined],
  ["me@example", 10, undefined],
  ["@a done", 7, undefined],
  ["no", 2, undefined],
  ['see @"docs/my n', 15, { kind: "file", text: "docs/my n", start: 4, end: 15 }],
  ['see @"docs/my n" now', 15, { kind: "file", text: "docs/my n", start: 4, end: 16 }],
  ['see @"docs/my notes.txt" now', 28, undefined],
  ['see @"docs', 7, { kind: "file", text: "d", start: 4, end: 7 }],
])("in %j with the cursor at %i", (text, cursor, spot) => {
  expect(spotAt(text, cursor)).toEqual(spot);
});

test("files are asked for once for each text, and shown only for the newest", () => {
  const write: Event = { type: "write", goal: "Fix @da", mention: SPOT };
  const named = after(write);
  expect(requestsOf(INITIAL, named, write)).toEqual([{ type: "findFiles", text: "da" }]);
  expect(requestsOf(named, named, write)).toEqual([]);
  expect(reduce(named, { ...FOUND, text: "d" }).mention?.found).toEqual([]);
  expect(reduce(named, FOUND).mention).toMatchObject({
    found: [{ name: "a/days.py" }, { name: "data.txt" }],
    current: 0,
  });
});

test("arrows go round, and what is written next closes the files", () => {
  const shown = after({ type: "write", goal: "Fix @da", mention: SPOT }, FOUND);
  const at = (...by: (1 | -1)[]): number | undefined =>
    by.reduce((state, step) => reduce(state, { type: "pointMention", by: step }), shown).mention
      ?.current;
  expect([at(1), at(1, 1), at(-1)]).toEqual([1, 0, 1]);
  expect(reduce(shown, { type: "write", goal: "Fix @days.py " }).mention).toBeUndefined();
  expect(reduce(shown, { type: "closeMention" }).mention).toBeUndefined();
});

test("what Escape closes stays closed until something else is named", () => {
  const write = (goal: string, mention?: Spot): Event => ({
    ...{ type: "write", goal },
    ...(mention && { mention }),
  });
  const longer = { ...SPOT, text: "day", end: SPOT.end + 1 };
  const closed = after(write("Fix @da", SPOT), FOUND, { type: "dismissMention" });
  const typed = reduce(closed, write("Fix @day", longer));
  const answered = reduce(typed, { ...FOUND, text: "day" });
  expect([closed, typed, answered].map(({ mention }) => mention?.found)).toEqual([[], [], []]);
  const other = [write("Fix "), write("Fix @da", SPOT), FOUND].reduce(reduce, answered);
  expect(other.mention?.found).toHaveLength(2);
});

test("other subagents get the same goal, each once, until all are launched", () => {
  const use = (subagentName: string, isUsed = true): Event => {
    return { type: "alsoUse", subagentName, isUsed };
  };
  const chosen = after(
    { type: "service", state: { kind: "running" } },
    { type: "choose", subagentName: "a" },
    ...[use("b"), use("c"), use("b"), use("a")],
    { type: "write", goal: "Go" },
  );
  expect(chosen.draft.also).toEqual(["c", "b"]);
  expect(reduce(chosen, use("c", false)).draft.also).toEqual(["b"]);
  expect(reduce(chosen, { type: "choose", subagentName: "b" }).draft.also).toEqual(["c"]);
  const sent = reduce(chosen, { type: "submit" });
  expect(requestsOf(chosen, sent, { type: "submit" })).toEqual([
    { type: "launch", subagentName: "a", also: ["c", "b"], goalPrompt: "Go", queue: false },
  ]);
  const reply = { sent: { goalPrompt: "Go", also: ["c", "b"] } };
  const refused = { type: "launchFailed", message: "full", canQueue: true, left: ["b"] } as const;
  expect(reduce(sent, { ...refused, ...reply }).draft).toEqual({ subagentName: "b", goal: "Go" });
  expect(reduce(sent, { type: "launched", taskId: "t", ...reply }).draft).toEqual({
    subagentName: "a",
    goal: "",
  });
});

const COMMANDS = [
  { name: "pre-review", description: "Prepares one." },
  { name: "Review", description: "Reviews.", hint: "[branch]" },
  { name: "init", description: "" },
];

/** Write a text in a composer whose agent has these commands. */
function writing(text: string): State {
  const source = { path: "/a.md", level: "user" };
  const items = [{ name: "a", description: "", runner: "agent", source }];
  const offer = { models: [], modes: [], askingModes: [], efforts: [], commands: COMMANDS };
  const mention = spotAt(text, text.length);
  return after(
    { type: "definitions", items, problems: [] },
    { type: "offers", agents: [], offers: { agent: offer } },
    { type: "write", goal: text, ...(mention && { mention }) },
  );
}

test("a slash at the start offers the agent's commands, those that begin so first", () => {
  const names = (text: string) => writing(text).mention?.found.map(({ name }) => name);
  expect(names("/")).toEqual(["pre-review", "Review", "init"]);
  expect(names("/re")).toEqual(["Review", "pre-review"]);
  expect(names("/none")).toEqual([]);
  expect(names("Do /re")).toBeUndefined();
});

test("files are not asked for a command, nor shown for one", () => {
  const before = writing("/re");
  const event: Event = {
    type: "write",
    goal: "/re",
    ...(before.mention && { mention: before.mention }),
  };
  expect(requestsOf(before, reduce(before, event), event)).toEqual([]);
  expect(reduce(before, { type: "foundFiles", text: "re", paths: ["a.py"] })).toBe(before);
});
