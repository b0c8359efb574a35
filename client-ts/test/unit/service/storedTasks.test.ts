import { expect, test } from "vitest";

import type { ListParams, ListResult } from "../../../src/protocol.js";
import { LATER_PAGE, MOST_AT_ONCE, PAGE, StoredTasks } from "../../../src/service/storedTasks.js";
import { storedTask } from "../tasks.js";

/** A sidecar with `total` stored tasks, whose cursor is the number of the next one. */
function sidecarWith(total: number) {
  const asked: ListParams[] = [];
  const list = (params: ListParams): Promise<ListResult> => {
    asked.push(params);
    if ((params.limit ?? 0) > MOST_AT_ONCE) {
      return Promise.reject(new Error("limit"));
    }
    const matched = params.query == null ? total : 1;
    const start = Number(params.cursor ?? 0);
    const end = Math.min(matched, start + (params.limit ?? 0));
    const items = Array.from({ length: end - start }, (_, index) => storedTask(`${start + index}`));
    const next = end < matched ? { nextCursor: String(end) } : {};
    return Promise.resolve({ items, total, matched, counts: {}, revision: 1, ...next });
  };
  return { asked, list };
}

test("pages follow one another until there are no more", async () => {
  const stored = new StoredTasks(sidecarWith(PAGE + 50).list);
  await stored.reload();
  expect([stored.items.length, stored.hasMore]).toEqual([PAGE, true]);
  await stored.loadMore();
  expect([stored.items.length, stored.hasMore]).toEqual([PAGE + 50, false]);
  await stored.loadMore();
  expect(new Set(stored.items.map((task) => task.id)).size).toBe(PAGE + 50);
});

test("a reload keeps as much in sight as there was", async () => {
  const { asked, list } = sidecarWith(PAGE + LATER_PAGE + 1);
  const stored = new StoredTasks(list);
  await stored.reload();
  await stored.loadMore();
  await stored.reload();
  expect(asked.at(-1)?.limit).toBe(PAGE + LATER_PAGE);
  expect(stored.items).toHaveLength(PAGE + LATER_PAGE);
});

test("more tasks than the sidecar gives at once are reloaded in several reads", async () => {
  const { asked, list } = sidecarWith(MOST_AT_ONCE + PAGE);
  const stored = new StoredTasks(list);
  await stored.reload();
  while (stored.hasMore) {
    await stored.loadMore();
  }
  await stored.reload();
  expect(asked.slice(-2).map(({ limit }) => limit)).toEqual([MOST_AT_ONCE, PAGE]);
  expect(new Set(stored.items.map((task) => task.id)).size).toBe(MOST_AT_ONCE + PAGE);
});

test("a filter narrows, and an empty one is not sent", async () => {
  const { asked, list } = sidecarWith(9);
  const stored = new StoredTasks(list);
  await stored.select({ filter: "roof", sort: "recent" });
  expect([stored.matched, stored.total, asked.at(-1)?.query]).toEqual([1, 9, "roof"]);
  await stored.select({ filter: "", sort: "recent" });
  expect(asked.at(-1)).not.toHaveProperty("query");
});

test("the answer to an earlier question does not replace a later one's", async () => {
  const { list } = sidecarWith(9);
  let answerLate = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    answerLate = resolve;
  });
  const stored = new StoredTasks(async (params) => {
    await (params.query == null ? late : undefined);
    return list(params);
  });
  const first = stored.reload();
  await stored.select({ filter: "roof", sort: "recent" });
  answerLate();
  await first;
  expect(stored.matched).toBe(1);
});

test("a filter that is refused leaves the one there was", async () => {
  const { asked, list } = sidecarWith(9);
  const stored = new StoredTasks((params) =>
    params.query === "cost>" ? Promise.reject(new Error("a value")) : list(params),
  );
  await stored.select({ filter: "roof", sort: "recent" });
  await expect(stored.select({ filter: "cost>", sort: "recent" })).rejects.toThrow("a value");
  await stored.reload();
  expect([stored.selection.filter, asked.at(-1)?.query]).toEqual(["roof", "roof"]);
});
