// After a command from the menu of a row, the keyboard is in the list again.
import { expect, test } from "vitest";

import { returningToList } from "../../../src/commands/rowMenu.js";

const ROW = { webview: "subagentSidecar.chat", subagentRow: "run", id: "t1" };

/** Run a command on a target; return in which order what happened. */
async function run(name: string, target: unknown, fails = false): Promise<string[]> {
  const happened: string[] = [];
  const id = `subagentSidecar.task.${name}`;
  const commands = returningToList(
    {
      [id]: async () => {
        await Promise.resolve();
        happened.push(name);
        if (fails) {
          throw new Error("no such task");
        }
      },
    },
    { focus: () => Promise.resolve(void happened.push("focus")) },
  );
  await Promise.resolve(commands[id]?.(target)).catch(() => happened.push("error"));
  return happened;
}

test("what asks gives the focus back when it was answered, or failed", async () => {
  expect(await run("rename", ROW)).toEqual(["rename", "focus"]);
  expect(await run("tag", ROW)).toEqual(["tag", "focus"]);
  expect(await run("export", ROW)).toEqual(["export", "focus"]);
  expect(await run("delete", ROW, true)).toEqual(["delete", "focus", "error"]);
});

test("what only acts gives the focus back at once: the user may go elsewhere meanwhile", async () => {
  expect(await run("pin", ROW)).toEqual(["focus", "pin"]);
});

test("commands from the palette, and those that open something, leave the focus where it is", async () => {
  expect(await run("rename", undefined)).toEqual(["rename"]);
  expect(await run("rename", "t1")).toEqual(["rename"]);
  expect(await run("view", ROW)).toEqual(["view"]);
});
