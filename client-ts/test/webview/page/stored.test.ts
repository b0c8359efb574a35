import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { StoredRow } from "../../../src/panel/listMessages.js";
import type { StoredState } from "../../../src/panel/pageTask.js";
import type { ToWebview } from "../../../src/panel/messages.js";
import { eventsOf } from "../../../src/stored/storedEvents.js";
import { runOf } from "../../../src/stored/storedRun.js";
import { pageIdOf } from "../../../src/storedRef.js";
import { Page } from "../../../webview/page/page.js";
import { storedText } from "../../../src/text/outcome.js";
import { storedTask } from "../../unit/tasks.js";

const REF = { id: "t", root: "/root" };

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div id="app" data-place="editor"></div><div id="announcements"></div>`;
});
afterEach(() => {
  vi.useRealTimers();
});

/** Show the conversation of a stored task. */
function shown(state: StoredState, ...more: ToWebview[]): void {
  const page = new Page(
    { postMessage: () => undefined, getState: () => undefined, setState: () => undefined },
    document,
  );
  page.start();
  const taskId = pageIdOf(REF);
  const messages: ToWebview[] = [
    { type: "service", state: { kind: "running" } },
    { type: "runs", runs: [] },
    { type: "open", taskId },
    { type: "task", task: runOf(taskId, storedTask(REF.id, state)) },
    ...more,
  ];
  messages.forEach((each) => {
    page.send(each);
  });
  vi.advanceTimersByTime(400);
}

function textOf(selector: string): string {
  return document.querySelector(selector)?.textContent.replace(/\s+/gu, " ").trim() ?? "";
}

const STATES: readonly [StoredState, sentence: string, icon: string][] = [
  [{ status: "active", outcome: "streaming" }, "This task is unfinished.", "circle-large-outline"],
  [
    { status: "active", outcome: "waiting" },
    "This task is waiting for an answer.",
    "circle-large-outline",
  ],
  [{ status: "abandoned", outcome: "interrupted" }, "This task was interrupted.", "circle-slash"],
  [{ status: "abandoned", outcome: "unknown" }, "This task was abandoned.", "circle-slash"],
  [{ status: "failed", outcome: "failed" }, "This task failed.", "error"],
  [
    { status: "unknown", outcome: "unknown" },
    "The task's files don't say how it ended.",
    "question",
  ],
  [{ status: "completed", outcome: "completed" }, "This task was completed.", "pass"],
];

test.each(STATES)(
  "the conversation of a stored task says what its row says: %o",
  (state, sentence, icon) => {
    shown(state);
    const row = { ...REF, ...state } as StoredRow;
    expect(textOf(".head-facts")).toContain(storedText(row));
    expect(textOf(".ending-state")).toBe(sentence);
    const look = state.outcome === "interrupted" ? "cancelled" : state.status; // as an interrupted run
    const icons = document.querySelectorAll(`.state-${look} .codicon-${icon}`);
    expect(icons).toHaveLength(2);
  },
);

test("the cost of a stored task is recorded, estimated or unknown", () => {
  const ended = { status: "completed", outcome: "completed" } as const;
  const hint = (tokenUsage: object) => {
    shown({ ...ended, tokenUsage } as StoredState);
    return textOf(".ending .hint");
  };
  expect(hint({ input: 5, output: 2, total: 7, cost: 0.5, estimatedCost: null })).toContain(
    "$0.50",
  );
  expect(hint({ input: 5, output: 2, total: 7, estimatedCost: 1.5 })).toContain(
    "≈ $1.50 (estimate)",
  );
  expect(hint({ input: 5, output: 2, total: 7 })).toContain("cost unknown");
});

test("the changed lines of a stored task are counted from its files, in the head and in the result", () => {
  const taskId = pageIdOf(REF);
  const file = (path: string, more: object) => ({ path, actions: ["edited" as const], ...more });
  const counted = [file("a", { additions: 2, deletions: 1 }), file("b", { additions: 3 })];
  const ended = { status: "completed", outcome: "completed" } as const;
  shown(ended, { type: "files", taskId, files: counted });
  expect(textOf(".head-facts")).toContain("2 files +5 −1");
  expect(textOf(".changes-head")).toContain("+5 −1");
  shown(ended, { type: "files", taskId, files: [...counted, file("c", {})] });
  expect(textOf(".head-facts")).toContain("3 files +5 −1 (1 not counted)");
  shown(ended, { type: "files", taskId, files: [file("c", {})] });
  expect(textOf(".head-facts")).toMatch(/1 file$/u);
  expect(textOf(".changes-head")).toBe("1 file changed");
});

test("the conversation of a stored task that is gone says so, and stays", () => {
  const state = { status: "completed", outcome: "completed" } as const;
  shown(state, { type: "taskDeleted", taskId: pageIdOf(REF) });
  expect(textOf(".deleted")).toBe("This task was deleted.");
  expect(textOf(".ending-state")).toBe("This task was completed.");
});

test("an error that a product noted is a message, not a call", () => {
  const text = "API error: the model is overloaded.\nTry again later.";
  const message = { index: 1, role: "system", kind: "error", text };
  shown(
    { status: "failed", outcome: "failed" },
    { type: "events", taskId: pageIdOf(REF), events: eventsOf([message], 1, "g") },
  );
  expect(textOf("li.tool")).toBe("Error: API error: the model is overloaded. Try again later.");
  expect(document.querySelector(".tool-row")).toBeNull();
});
