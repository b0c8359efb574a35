import { expect, test } from "vitest";

import { loadingTitle, tabTitles } from "../../../src/agents/tabTitles.js";
import { asyncTask } from "../tasks.js";

const GOAL = "Find out why the nightly build of the packages fails";
const NOON = new Date(2026, 10, 5, 12).getTime();

function tab(subagentName: string, more: Parameters<typeof asyncTask>[1] = {}) {
  return { task: asyncTask("t", { subagentName, goalPrompt: GOAL, ...more }) };
}

test("a tab has the goal of its run, or what the user calls it", () => {
  const tabs = [tab("claude"), { ...tab("claude"), title: "Nightly" }];
  expect(tabTitles(tabs)).toEqual(["Find out why the nightly build of the p…", "Nightly"]);
});

test("while a conversation loads, its tab has the title that is known", () => {
  expect(loadingTitle(GOAL)).toBe("Find out why the nightly build of the p…");
  expect(loadingTitle("")).toBe("(untitled)");
  expect(loadingTitle(undefined)).toBe("Loading…");
});

test("tabs that would have the same title name their subagents", () => {
  const other = tab("claude", { goalPrompt: "Other" });
  expect(tabTitles([tab("claude"), other, tab("codex")])).toEqual([
    "claude · Find out why the nightly bu…",
    "Other",
    "codex · Find out why the nightly bu…",
  ]);
});

test("runs of one subagent with the same title also have their times", () => {
  const tabs = [
    tab("claude", { launchedAt: NOON }),
    tab("claude", { launchedAt: NOON + 65_000 }),
    tab("codex", { launchedAt: NOON }),
  ];
  expect(tabTitles(tabs)).toEqual([
    "claude 12:00:00 · Find out why the nightly bu…",
    "claude 12:01:05 · Find out why the nightly bu…",
    "codex · Find out why the nightly bu…",
  ]);
});

test("what needs the user is marked, and a run without a goal is named, too", () => {
  const attention = { kind: "permission" as const, requestId: "r", title: "Run", options: [] };
  expect(tabTitles([tab("a", { attention }), tab("b", { goalPrompt: "" })])).toEqual([
    "● Find out why the nightly build of the p…",
    "(untitled)",
  ]);
});

test("tabs are distinguished even if they were launched in the same second", () => {
  const tabs = [tab("claude", { launchedAt: NOON }), tab("claude", { launchedAt: NOON + 300 })];
  const title = "claude 12:00:00 · Find out why the nightly bu…";
  expect(tabTitles(tabs)).toEqual([title, `${title} (2)`]);
  const long = "reviewer-of-all-packages";
  const named = tabTitles([tab(`${long}-a`), tab(`${long}-b`)]);
  expect(new Set(named).size).toBe(2);
});
