// A goal that continues a stored task begins with the goal of that task, since it becomes the run's title.
import { expect, test } from "vitest";

import type { StoredState } from "../../../src/panel/pageTask.js";
import { continuation, lacksNext } from "../../../webview/model/continuation.js";
import { newlyOpen } from "../../../webview/model/openRun.js";
import { reduce } from "../../../webview/model/reduce.js";
import { INITIAL, type State } from "../../../webview/model/state.js";
import { COMPOSER } from "../../../webview/text/strings.js";
import { message, numbered, task } from "../samples.js";

function opened(goalPrompt: string, files: readonly string[] = [], stored?: StoredState): State {
  const touched = files.map((path) => ({ path, actions: ["edited" as const] }));
  const state: State = {
    ...INITIAL,
    open: {
      ...newlyOpen("t1"),
      task: { ...task({ goalPrompt }), ...(stored && { stored }) },
      files: touched,
    },
  };
  const events = numbered([message("m1", "Half of it is done.")]);
  return reduce(state, { type: "events", taskId: "t1", events });
}

test("its goal comes first, then what was done", () => {
  expect(continuation(opened("Water the plants\n", ["src/plants.py"]))).toBe(
    [
      "Continue: Water the plants",
      "Another agent started this task.",
      "It changed these files:\n- src/plants.py",
      "Its last message was:\nHalf of it is done.",
      "Check the current state of the files first, then finish what is left.",
    ].join("\n\n"),
  );
});

test.each([
  ["completed", "completed", "Another agent completed this task.", "then continue with this: "],
  ["active", "waiting", "Another agent started this task.", "The answer to this message is: "],
  ["failed", "failed", "Another agent started this task.", "then finish what is left."],
  ["abandoned", "interrupted", "Another agent started this task.", "then finish what is left."],
] as const)(
  "of a task that is %s (%s), it says so and what is to do",
  (status, outcome, origin, end) => {
    const goal = continuation(opened("Water the plants", [], { status, outcome }));
    expect(goal).toContain(origin);
    expect(goal.endsWith(end)).toBe(true);
  },
);

test("a command of the former agent is not a command to the next one", () => {
  expect(continuation(opened("/review src"))).toMatch(/^Continue: \/review src\n/);
});

test("a task that continued another one is not introduced twice", () => {
  expect(continuation(opened("Continue: Water the plants"))).toMatch(
    /^Continue: Water the plants\n/,
  );
});

test("a task without a goal is continued from its last message", () => {
  expect(continuation(opened(""))).toMatch(
    /^Another agent started this task\.\n\nIts last message/,
  );
});

test.each(["completed", "waiting"] as const)(
  "a goal without what comes next is not launched (%s)",
  (outcome) => {
    const status = outcome === "completed" ? outcome : "active";
    const goal = continuation(opened("Water the plants", [], { status, outcome }));
    expect(lacksNext(goal)).toBe(true);
    expect(lacksNext(`${goal}use rainwater`)).toBe(false);
    const draft = { subagentName: "tester", goal };
    const after = reduce({ ...INITIAL, draft }, { type: "submit" });
    expect(after.launch).toMatchObject({ kind: "refused", message: COMPOSER.noNext });
  },
);
