import { expect, test } from "vitest";

import type { ListParams, ListResult, TaskInfo } from "../../../src/protocol.js";
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

/** A sidecar with these tasks, newest activity first; ids in a query select by their beginnings. */
class Listed {
  readonly asked: ListParams[] = [];
  tasks: readonly TaskInfo[] = [];

  readonly list = (params: ListParams): Promise<ListResult> => {
    this.asked.push(params);
    const { query, cursor, limit = 0 } = params;
    const ids = [...(query ?? "").matchAll(/id:"([^"]*)"/gu)].map(([, id = ""]) => id);
    const fit = this.tasks.filter(
      (task) => ids.length === 0 || ids.some((id) => task.id.startsWith(id)),
    );
    const items = fit.slice(Number(cursor ?? 0), Number(cursor ?? 0) + limit);
    const end = Number(cursor ?? 0) + items.length;
    const next = end < fit.length ? { nextCursor: String(end) } : {};
    const counts = { counts: {}, total: this.tasks.length, matched: fit.length, revision: 1 };
    return Promise.resolve({ items, ...counts, ...next });
  };
}

/** Tasks named `a0`, `a1` and so on, each older than the one before. */
function aged(count: number): TaskInfo[] {
  return Array.from({ length: count }, (_, at) =>
    storedTask(`a${at}`, { lastActivity: 1_000_000 - at }),
  );
}

/** A list that has read as many tasks, a sidecar that has them, and what it was asked since. */
async function listOf(count: number, read = count) {
  const sidecar = new Listed();
  sidecar.tasks = aged(count);
  const stored = new StoredTasks(sidecar.list);
  await stored.select({ filter: "", sort: "recent" });
  while (stored.items.length < read) {
    await stored.loadMore();
  }
  sidecar.asked.length = 0;
  return { sidecar, stored };
}

test("of a long list, only what changed is read again, and the rest stays the same objects", async () => {
  const { sidecar, stored } = await listOf(6_000);
  const before = stored.items;
  const moved = storedTask("a5000", { lastActivity: 2_000_000 });
  const fresh = storedTask("b", { lastActivity: 999_999 });
  const others = sidecar.tasks.filter(({ id }) => id !== "a5000" && id !== "a7");
  sidecar.tasks = [moved, ...others.slice(0, 2), fresh, ...others.slice(2)];
  await stored.update(new Set(["a5000", "b", "a7"]));
  expect(stored.items.map(({ id }) => id)).toEqual(
    [moved, others[0], others[1], fresh, ...others.slice(2)].map((task) => task?.id),
  );
  expect(stored.items.filter((task) => !before.includes(task))).toEqual([moved, fresh]);
  expect([stored.matched, stored.total]).toEqual([6_000, 6_000]);
  expect(sidecar.asked).toHaveLength(2);
});

test("a changed task that is beyond what was read is left to the next page", async () => {
  const { sidecar, stored } = await listOf(PAGE + 9, PAGE);
  const late = storedTask("late", { lastActivity: 1 });
  sidecar.tasks = [...sidecar.tasks, late];
  await stored.update(new Set(["late"]));
  expect(stored.items).toHaveLength(PAGE);
  expect([stored.matched, stored.hasMore]).toEqual([PAGE + 10, true]);
  await stored.loadMore();
  expect(stored.items.at(-1)?.id).toBe("late");
});

test("a list of which more changed than was notified is read again as a whole", async () => {
  const { sidecar, stored } = await listOf(400);
  sidecar.tasks = sidecar.tasks.slice(100);
  await stored.update(new Set(["a0"]));
  expect(stored.items.map(({ id }) => id)).toEqual(sidecar.tasks.map(({ id }) => id));
});

test.each<[string, string[]]>([
  ["no task", []],
  ["more tasks than a query should name", aged(51).map(({ id }) => id)],
  ["a task that no query can name", ['a"b']],
])("an update of %s reads all", async (_, ids) => {
  const { sidecar, stored } = await listOf(60);
  await stored.update(new Set(ids));
  expect(sidecar.asked).toMatchObject([{ limit: PAGE }]);
});

test("of a list by cost, only what changed is read again", async () => {
  const { sidecar, stored } = await listOf(0);
  const costs = { a: 1, b: 2, c: undefined, d: 1.5 };
  const task = ([id, cost]: [string, number | undefined]) =>
    storedTask(id, cost === undefined ? {} : { tokenUsage: { cost } });
  sidecar.tasks = ["b", "a", "c"].map((id) => task([id, costs[id as "a"]]));
  await stored.select({ filter: "", sort: "cost" });
  sidecar.tasks = ["b", "d", "a", "c"].map((id) => task([id, costs[id as "a"]]));
  sidecar.asked.length = 0;
  await stored.update(new Set(["d"]));
  expect(stored.items.map(({ id }) => id)).toEqual(["b", "d", "a", "c"]);
  expect(sidecar.asked.map(({ query }) => query)).toEqual(['id:"d"', undefined]);
});

test("what a reload finds unchanged stays the same object", async () => {
  const { sidecar, stored } = await listOf(9);
  const before = stored.items;
  sidecar.tasks = aged(9).map((task) => (task.id === "a3" ? { ...task, title: "New" } : task));
  await stored.reload();
  expect(stored.items.filter((task, at) => task !== before[at]).map(({ id }) => id)).toEqual([
    "a3",
  ]);
});

test("an update while another selection is read leaves no rows of the earlier one", async () => {
  const { sidecar, stored } = await listOf(PAGE + 9, PAGE);
  const wanted = aged(PAGE + 1).map((task) => ({ ...task, id: `z${task.id}` }));
  const selected = stored.select({ filter: 'id:"z"', sort: "recent" });
  sidecar.tasks = [...sidecar.tasks, ...wanted];
  await Promise.all([selected, stored.update(new Set(["za7"]))]);
  expect(stored.items.map(({ id }) => id)).toEqual(wanted.slice(0, PAGE).map(({ id }) => id));
});
