import { expect, test } from "vitest";

import type { SentLaunch } from "../../../../src/panel/messages.js";
import type { Event } from "../../../../webview/model/events.js";
import { reduce } from "../../../../webview/model/reduce.js";
import { requestsOf } from "../../../../webview/model/requests.js";
import { INITIAL, type State } from "../../../../webview/model/state.js";

const SENT: SentLaunch = { goalPrompt: "One", also: ["b"], files: ["/w/a.png"] };
const LAUNCHED: Event = { type: "launched", taskId: "t1", others: ["t2"], sent: SENT };
const FAILED: Event = {
  type: "launchFailed",
  ...{ message: "5 of 5 run.", canQueue: true, left: ["b"], launched: ["t1"], sent: SENT },
};

/** The state after a launch of "One" with two subagents and a file, and what came then. */
function sentThen(...events: Event[]): State {
  const before: Event[] = [
    { type: "service", state: { kind: "running" } },
    { type: "choose", subagentName: "a" },
    { type: "alsoUse", subagentName: "b", isUsed: true },
    { type: "attached", paths: ["/w/a.png"] },
    { type: "write", goal: "One" },
    { type: "submit" },
  ];
  return [...before, ...events].reduce(reduce, INITIAL);
}

test("what belongs to the launched goal is not launched again with the next one", () => {
  const state = sentThen({ type: "write", goal: "Two" }, LAUNCHED);
  expect(requestsOf(state, reduce(state, { type: "submit" }), { type: "submit" })).toEqual([
    { type: "launch", subagentName: "a", goalPrompt: "Two", queue: false },
  ]);
});

test("what is added during a launch stays for the next one", () => {
  const added: Event[] = [
    { type: "attached", paths: ["/w/b.png"] },
    { type: "alsoUse", subagentName: "c", isUsed: true },
  ];
  expect(sentThen(...added, LAUNCHED).draft).toEqual({
    ...{ subagentName: "a", also: ["b", "c"], goal: "", files: ["/w/b.png"] },
  });
});

test("a launch that fails leaves the next goal and its subagent alone, and names its own goal", () => {
  const next: Event[] = [
    { type: "choose", subagentName: "c" },
    { type: "write", goal: "Two" },
  ];
  const { draft, launch } = sentThen(...next, FAILED);
  expect([draft.goal, draft.subagentName]).toEqual(["Two", "c"]);
  expect(launch).toEqual({
    kind: "refused",
    message: "5 of 5 run.\nThis goal was not launched: “One”",
    canQueue: false,
  });
});

test("a launch that fails leaves what was not launched, and says what else is missing", () => {
  const unattached: Event = { type: "attachFailed", message: "x is not a file." };
  expect(sentThen(unattached, FAILED)).toMatchObject({
    draft: { subagentName: "b", goal: "One" },
    launch: { message: "5 of 5 run.\nx is not a file.", canQueue: true },
  });
});

test("a page that waits already stays as it is when it learns that a launch is starting", () => {
  const waiting = sentThen({ type: "attachFailed", message: "x is not a file." });
  expect(reduce(waiting, { type: "launching" })).toEqual(waiting);
});
