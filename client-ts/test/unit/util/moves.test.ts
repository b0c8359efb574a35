// What took its time is shown only to a user who is still where they began it.
import { expect, test, vi } from "vitest";

import { unlessMoved } from "../../../src/util/moves.js";
import {
  selectionChanges,
  tabGroups,
  TextEditorSelectionChangeKind,
  window,
} from "../../vscode.js";

/** Do something while the user acts; return whether its result is shown. */
async function isShown(act: (begin: () => void) => void): Promise<boolean> {
  const show = vi.fn(() => Promise.resolve());
  await unlessMoved((begin) => {
    act(begin);
    return Promise.resolve("result");
  }, show);
  return show.mock.calls.length > 0;
}

const select = (kind?: number) => {
  selectionChanges.fire(kind === undefined ? {} : { kind });
};

test("a result is shown to a user who waits, whatever programs do to texts", async () => {
  expect(await isShown(() => undefined)).toBe(true);
  for (const kind of [undefined, TextEditorSelectionChangeKind.Command]) {
    expect(
      await isShown(() => {
        select(kind);
      }),
    ).toBe(true);
  }
});

test("a user who went to another editor or terminal, or works in a text, is not interrupted", async () => {
  expect(await isShown(() => tabGroups.activeTabGroup.add("other.py"))).toBe(false);
  expect(
    await isShown(() => {
      window.activeTerminal = {};
    }),
  ).toBe(false);
  expect(
    await isShown(() => {
      select(2);
    }),
  ).toBe(false);
  window.activeTerminal = undefined;
});

test("what the user did before the last beginning does not count", async () => {
  const moved = (begin: () => void) => {
    tabGroups.activeTabGroup.add("copied-from.py");
    select(2);
    begin();
  };
  expect(await isShown(moved)).toBe(true);
});

test("what took long is shown without the focus, since the user may be in a view", async () => {
  vi.useFakeTimers();
  const openings: boolean[] = [];
  const show = (_: string, { keepsFocus }: { readonly keepsFocus: boolean }) => {
    openings.push(keepsFocus);
    return Promise.resolve();
  };
  const after = (ms: number) => () => {
    vi.advanceTimersByTime(ms);
    return Promise.resolve("result");
  };
  await unlessMoved(after(900), show);
  await unlessMoved(after(1_100), show);
  await unlessMoved((begin) => {
    vi.advanceTimersByTime(60_000); // the user writes
    begin();
    return Promise.resolve("result");
  }, show);
  expect(openings).toEqual([false, true, false]);
  vi.useRealTimers();
});

test("nothing is shown of what was cancelled", async () => {
  const show = vi.fn(() => Promise.resolve());
  await unlessMoved(() => Promise.resolve(undefined), show);
  expect(show).not.toHaveBeenCalled();
});
