import { expect, test } from "vitest";

import type { StoredRow } from "../../../src/panel/listMessages.js";
import { storedKey } from "../../../webview/model/list/listState.js";
import { menuContext } from "../../../webview/view/list/menu.js";

function stored(id: string): StoredRow {
  const ended = { status: "completed", outcome: "completed" } as const;
  return { id, root: "/r", title: id, ...ended, product: "roo" };
}

/** Rows that notice when they are read. */
class Watched extends Array<StoredRow> {
  reads = 0;

  override map<U>(callback: (row: StoredRow, at: number, all: StoredRow[]) => U): U[] {
    this.reads += 1;
    return Array.from(this, (row, at) => callback(row, at, this));
  }
}

const ROWS = ["a", "b", "c"].map(stored);

function watched(): Watched {
  return new Watched(...ROWS);
}

test("the menu of a row that is not selected reads no other row", () => {
  const rows = watched();
  const selected = new Set(["stored /r b", "stored /r c"]);
  const context = menuContext({ kind: "stored", row: stored("a"), selected, rows: [rows] });
  expect(JSON.parse(context)).not.toHaveProperty("selection");
  expect(rows.reads).toBe(0);
});

test("the menus of all selected rows name them, and the list is looked through once", () => {
  const rows = watched();
  const pinned = [stored("p")];
  const selected = new Set([...ROWS, ...pinned].map(storedKey));
  for (const row of [...ROWS, ...pinned]) {
    const context = menuContext({ kind: "stored", row, selected, rows: [rows, pinned] });
    expect(JSON.parse(context)).toMatchObject({
      selection: ["a", "b", "c", "p"].map((id) => ({ id })),
    });
  }
  expect(rows.reads).toBe(1);
});
