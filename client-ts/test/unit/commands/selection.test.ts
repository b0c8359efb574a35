import { afterEach, expect, test } from "vitest";

import { selectionCommands } from "../../../src/commands/selection.js";
import { shown, Uri, window } from "../../vscode.js";

afterEach(() => {
  window.activeTextEditor = undefined;
  shown.messages = [];
});

/** Run the command with what is selected in front; return what it writes into the goal. */
async function added(editor?: {
  readonly isUntitled?: boolean;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}): Promise<string[]> {
  const goals: string[] = [];
  if (editor !== undefined) {
    const [start, end] = [editor.from, editor.to].map(([line, character]) => ({ line, character }));
    const isEmpty = JSON.stringify(start) === JSON.stringify(end);
    window.activeTextEditor = {
      document: { uri: Uri.file("/house/src/days.py"), isUntitled: editor.isUntitled ?? false },
      selection: { start, end, isEmpty },
    };
  }
  await selectionCommands({
    addToGoal: (text) => {
      goals.push(text);
      return Promise.resolve();
    },
  })["subagentSidecar.composer.addSelection"]();
  return goals;
}

test.each([
  ["some lines", [2, 4], [8, 1], "@src/days.py#L3-L9"],
  ["a part of a line", [2, 4], [2, 6], "@src/days.py#L3"],
  ["whole lines", [2, 0], [4, 0], "@src/days.py#L3-L4"],
  ["nothing", [2, 4], [2, 4], "@src/days.py"],
] as const)("a selection of %s is named with its lines", async (_, from, to, text) => {
  expect(await added({ from, to })).toEqual([text]);
});

test("an editor without a file is refused, with the remedy", async () => {
  expect(await added()).toEqual([]);
  expect(await added({ isUntitled: true, from: [0, 0], to: [1, 0] })).toEqual([]);
  const remedy = "Open a saved file and select lines in it first.";
  expect(shown.messages).toEqual([remedy, remedy]);
});
