import { expect, test } from "vitest";

import {
  applyEvents,
  EMPTY_CONVERSATION,
} from "../../../../webview/model/conversation/conversation.js";
import { MAX_VARIABLES } from "../../../../src/panel/events/variables.js";
import { variablesOf } from "../../../../webview/model/conversation/variables.js";
import { numbered, task } from "../../samples.js";

test("variables of events that are lost come from the task", () => {
  const conversation = applyEvents(
    EMPTY_CONVERSATION,
    numbered([{ type: "emit", name: "b", value: 2 }]),
  );
  const partial = { emitted_vars: { a: 1, b: 0 }, touchedFiles: [] };
  expect([...variablesOf(task({ partial }), conversation.variables).named]).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
});

function emitted(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${String(at)}`, at]));
}

test.each([MAX_VARIABLES, MAX_VARIABLES + 1, 10 * MAX_VARIABLES])(
  "of %i variables, the newest are shown, from events or from the task",
  (count) => {
    const all = Object.entries(emitted(count));
    const events = numbered(all.map(([name, value]) => ({ type: "emit" as const, name, value })));
    const { variables } = applyEvents(EMPTY_CONVERSATION, events);
    expect(variables.size).toBeLessThanOrEqual(MAX_VARIABLES + 1);
    const shown = { named: all.slice(-MAX_VARIABLES), isCut: count > MAX_VARIABLES };
    expect(variablesOf(undefined, variables)).toEqual(shown);
    const partial = { emitted_vars: emitted(count), touchedFiles: [] };
    expect(variablesOf(task({ partial }), new Map())).toEqual(shown);
  },
);
