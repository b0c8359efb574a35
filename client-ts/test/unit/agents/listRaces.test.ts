// The rows that a page has, against a fresh list, while tasks, the selection and the sidecar change.
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { HistoryList } from "../../../src/agents/historyList.js";
import { ListChoice } from "../../../src/agents/listOptions.js";
import { MarkStore } from "../../../src/marks/markStore.js";
import type { HistoryPage } from "../../../src/panel/listMessages.js";
import type { TaskInfo } from "../../../src/protocol.js";
import { SORTS } from "../../../src/service/storedTasks.js";
import { EMPTY_LIST, reduceList } from "../../../webview/model/list/listState.js";
import { FakeMemento } from "../memory.js";
import { storedTask } from "../tasks.js";
import { BusySidecar } from "./busySidecar.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A list with a page that shows it. */
class Shown {
  readonly choice = new ListChoice(new FakeMemento());
  readonly list: HistoryList;
  page = EMPTY_LIST;

  constructor(readonly sidecar: BusySidecar) {
    const marks = new MarkStore(path.join(tmpdir(), "no-marks"));
    this.list = new HistoryList(sidecar.service, this.choice, marks);
  }

  show(): void {
    this.page = EMPTY_LIST;
    this.list.show((page: HistoryPage) => {
      this.page = reduceList(this.page, { type: "history", page: structuredClone(page) });
    });
  }

  /** The rows that the page has, and the same rows of a fresh list. */
  get rows() {
    const { rows = [], matched = 0 } = this.page.history ?? {};
    const { sort, filter } = this.choice.options;
    const by = sort === "recent" ? "lastActivity" : sort;
    const order = sort === "title" ? "asc" : "desc";
    const fresh = this.sidecar.fresh({ limit: rows.length, query: filter, sort: { by, order } });
    const shown = (all: readonly Pick<TaskInfo, "id" | "title" | "status">[]) =>
      all.map(({ id, title, status }) => `${id} ${title} ${status}`);
    return {
      shown: [matched, ...shown(rows)],
      fresh: [fresh.matched, ...shown(fresh.items)],
      isWhole: rows.length >= Math.min(fresh.matched, 200),
    };
  }
}

/** Return a source of numbers below 1, the same for a seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

test.each(Array.from({ length: 12 }, (_, at) => at + Number(process.env["FUZZ_SEED"] ?? 1)))(
  "a page has the rows of a fresh list after any changes (%i)",
  async (seed) => {
    const random = seeded(seed);
    const below = (count: number) => Math.floor(random() * count);
    const sidecar = new BusySidecar(random);
    const task = (id: string): TaskInfo =>
      storedTask(id, {
        title: random() < 0.5 ? "roof" : "door",
        status: random() < 0.5 ? "completed" : "active",
        ...(random() < 0.1 ? {} : { lastActivity: below(5_000) + 1 }),
        ...(random() < 0.5 ? {} : { duration: below(9) }),
        ...(random() < 0.5 ? {} : { tokenUsage: { cost: below(9) } }),
        messageCount: below(9),
      });
    const count = [20, 230, 700][seed % 3] ?? 0;
    for (let at = 0; at < count; at += 1) {
      sidecar.tasks.set(`t${at}`, task(`t${at}`));
    }
    const shown = new Shown(sidecar);
    shown.show();
    const change = () => {
      const id = `t${below(count + 20)}`;
      sidecar.put(id, random() < 0.3 ? undefined : task(id));
    };
    const steps: (() => unknown)[] = [
      ...Array.from({ length: 12 }, () => change),
      () => Array.from({ length: 60 }, change),
      () => shown.list.loadMore(),
      () => shown.list.loadMore(),
      () => shown.choice.setFilter(["", "roof", "door"][below(3)] ?? ""),
      () => shown.choice.setSort(SORTS[below(SORTS.length)] ?? "recent"),
      () => {
        shown.list.hide();
        shown.show();
      },
      () => sidecar.restart(),
    ];
    for (let step = 0; step < 60; step += 1) {
      void steps[below(steps.length)]?.();
      await vi.advanceTimersByTimeAsync(below(400));
      if (step % 20 === 19) {
        await vi.advanceTimersByTimeAsync(30_000);
        const { shown: rows, fresh, isWhole } = shown.rows;
        expect(rows).toEqual(fresh);
        expect(isWhole).toBe(true);
      }
    }
    shown.list.dispose();
  },
);
