// The list of stored tasks, read from a sidecar that the test answers for, under a false clock.
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";

import { HistoryList } from "../../../src/agents/historyList.js";
import { ListChoice } from "../../../src/agents/listOptions.js";
import { MarkStore } from "../../../src/marks/markStore.js";
import type { HistoryPage } from "../../../src/panel/listMessages.js";
import { ErrorCode, type ListParams } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { EventEmitter } from "../../vscode.js";
import { FakeMemento } from "../memory.js";
import { storedTask } from "../tasks.js";
import { BusySidecar } from "./busySidecar.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("changes while the sidecar does not answer are read once when it does", async () => {
  const changes = new EventEmitter<object>();
  const waiting: (() => void)[] = [];
  const reads = vi.fn(() => new Promise<void>((resolve) => waiting.push(resolve)));
  const service = {
    state: { kind: "running" },
    info: undefined,
    onDidChangeState: new EventEmitter<object>().event,
    onDidChangeHistory: changes.event,
    request: async (method: string) => {
      if (method === "tasks/list") {
        await reads();
      }
      return { items: [], matched: 0, total: 0, totals: { tasks: 0 } };
    },
  } as unknown as SubagentService;
  const marks = new MarkStore(path.join(tmpdir(), "no-marks"));
  const list = new HistoryList(service, new ListChoice(new FakeMemento()), marks);
  const pages: HistoryPage[] = [];
  list.show((page) => pages.push(page));
  await vi.advanceTimersByTimeAsync(0);
  waiting.pop()?.();
  await vi.advanceTimersByTimeAsync(5_000);
  const [readBefore, sentBefore] = [reads.mock.calls.length, pages.length];

  for (let second = 0; second < 10; second += 1) {
    changes.fire({});
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(reads).toHaveBeenCalledTimes(readBefore + 1);
  expect(pages).toHaveLength(sentBefore);

  waiting.pop()?.();
  await vi.advanceTimersByTimeAsync(0);
  waiting.pop()?.();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads).toHaveBeenCalledTimes(readBefore + 2);
  expect(waiting).toEqual([]);
  list.dispose();
});

test("a page that has a long list gets what changed of it", async () => {
  const changes = new EventEmitter<object>();
  let tasks = Array.from({ length: 3_000 }, (_, at) =>
    storedTask(`t${at}`, { lastActivity: 9_000 - at }),
  );
  const service = {
    state: { kind: "running" },
    info: undefined,
    onDidChangeState: new EventEmitter<object>().event,
    onDidChangeHistory: changes.event,
    request: (method: string, { query, limit = 0, cursor }: ListParams) => {
      const fit = query == null ? tasks : tasks.filter(({ id }) => query === `id:"${id}"`);
      const end = Number(cursor ?? 0) + limit;
      const items = method === "tasks/list" ? fit.slice(Number(cursor ?? 0), end) : [];
      const next = end < fit.length ? { nextCursor: String(end) } : {};
      const counts = { matched: fit.length, total: tasks.length, totals: { tasks: 0 } };
      return Promise.resolve({ items, ...counts, ...next });
    },
  } as unknown as SubagentService;
  const marks = new MarkStore(path.join(tmpdir(), "no-marks"));
  const list = new HistoryList(service, new ListChoice(new FakeMemento()), marks);
  const pages: HistoryPage[] = [];
  list.show((page) => pages.push(page));
  for (let page = 0; page < 3; page += 1) {
    await vi.advanceTimersByTimeAsync(5_000);
    await list.loadMore();
  }
  pages.length = 0;
  tasks = [storedTask("t1500", { lastActivity: 10_000, title: "Now" }), ...tasks].filter(
    ({ id, title }) => id !== "t1500" || title === "Now",
  );
  changes.fire({ revision: 2, added: [], changed: ["t1500"], removed: [] });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(pages.flatMap(({ rows }) => rows)).toEqual([]);
  const [sent] = pages.flatMap((page) => page.changes ?? []);
  expect(sent).toMatchObject({ removed: [1_500], added: [[0, { id: "t1500", title: "Now" }]] });
  list.dispose();
});

test("a status that changes with age is read again, and nothing else is drawn", async () => {
  const sidecar = new BusySidecar(() => 0.5);
  for (const id of ["a", "b"]) {
    sidecar.tasks.set(id, storedTask(id, { status: "active" }));
  }
  const marks = new MarkStore(path.join(tmpdir(), "no-marks"));
  const list = new HistoryList(sidecar.service, new ListChoice(new FakeMemento()), marks);
  const pages: HistoryPage[] = [];
  list.show((page) => pages.push(page));
  await vi.advanceTimersByTimeAsync(5_000);
  pages.length = 0;
  sidecar.tasks.set("b", storedTask("b", { status: "unknown" }));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(pages.flatMap((page) => page.changes ?? [])).toMatchObject([
    { removed: [1], added: [[1, { id: "b", status: "unknown" }]] },
  ]);
  list.dispose();
});

test("many tasks that change again and again do not make a long list be read each second", async () => {
  const sidecar = new BusySidecar(() => 0);
  const tasks = Array.from({ length: 1_500 }, (_, at) => storedTask(`t${at}`));
  tasks.forEach((task) => sidecar.tasks.set(task.id, task));
  const marks = new MarkStore(path.join(tmpdir(), "no-marks"));
  const { service } = sidecar;
  const request = vi.spyOn(service, "request");
  const list = new HistoryList(service, new ListChoice(new FakeMemento()), marks);
  list.show(() => undefined);
  await vi.advanceTimersByTimeAsync(5_000);
  void list.loadMore();
  await vi.advanceTimersByTimeAsync(5_000);
  request.mockClear();
  for (let second = 0; second < 20; second += 1) {
    tasks.slice(0, 60).forEach((task) => {
      sidecar.put(task.id, { ...task, title: `Now ${second}` });
    });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  const lists = request.mock.calls.filter(([method]) => method === "tasks/list");
  expect(lists.length).toBeGreaterThan(2);
  expect(lists.length).toBeLessThan(10);
  list.dispose();
});

test("the problem of a list names no ID", async () => {
  const { service } = new BusySidecar(() => 0);
  const marks = new MarkStore(path.join(tmpdir(), "no-marks"));
  const refusal = new ResponseError(ErrorCode.TaskNotFound, "no stored task has the ID 'aaaa-1'");
  vi.spyOn(service, "request").mockRejectedValue(refusal);
  const list = new HistoryList(service, new ListChoice(new FakeMemento()), marks);
  const pages: HistoryPage[] = [];
  list.show((page) => pages.push(page));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(pages.at(-1)?.problem).toBe("This task is no longer in the history.");
  list.dispose();
});
