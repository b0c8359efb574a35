import { expect, test } from "vitest";

import type { AsyncListParams, AsyncListResult, AsyncTask } from "../../../src/protocol.js";
import { allRuns, knownRuns, NEWEST } from "../../../src/runs/runPages.js";
import { isLive } from "../../../src/text/outcome.js";
import { asyncTask } from "../tasks.js";

/** A sidecar with these runs, newest first, that gives at most `most` at once. */
class Lister {
  readonly asked: AsyncListParams[] = [];
  readonly #runs: readonly AsyncTask[];
  readonly #most: number;

  constructor(runs: readonly AsyncTask[], most = Infinity) {
    this.#runs = runs;
    this.#most = most;
  }

  readonly list = (params: AsyncListParams): Promise<AsyncListResult> => {
    this.asked.push(params);
    const { status, cursor, limit = 200 } = params;
    const fit = this.#runs.filter((run) => status == null || status.includes(run.status));
    const from = Number(cursor ?? 0);
    const end = from + Math.min(limit, this.#most);
    const next = end < fit.length ? { nextCursor: String(end) } : {};
    const items = fit.slice(from, end);
    return Promise.resolve({ items, counts: {}, max: 5, revision: 1, ...next });
  };
}

/** As many runs, newest first; those at the end of the list are live. */
function runs(count: number, live: number): AsyncTask[] {
  return Array.from({ length: count }, (_, at) =>
    asyncTask(String(at), { status: at < count - live ? "completed" : "queued" }),
  );
}

async function known(lister: Lister): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const page of knownRuns(lister.list)) {
    page.forEach(({ id }) => ids.add(id));
  }
  return ids;
}

test("runs that fit on one page are read with one request", async () => {
  const lister = new Lister(runs(200, 3));
  expect((await known(lister)).size).toBe(200);
  expect(lister.asked).toHaveLength(1);
});

test("a window knows all live runs, however many launches came after them", async () => {
  const all = runs(20_000, 3_000);
  const lister = new Lister(all);
  const ids = await known(lister);
  expect(all.filter(isLive).every(({ id }) => ids.has(id))).toBe(true);
  expect(all.slice(0, NEWEST).every(({ id }) => ids.has(id))).toBe(true);
  expect(ids.size).toBe(3_000 + NEWEST);
  expect(lister.asked).toHaveLength(4);
});

test("all runs are read in their order, even if a page is shorter than requested", async () => {
  const lister = new Lister(runs(5_000, 0), 900);
  const ids = (await allRuns(lister.list)).map(({ id }) => id);
  expect(ids).toEqual(runs(5_000, 0).map(({ id }) => id));
});
