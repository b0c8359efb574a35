// The list of stored tasks, read from a sidecar that the test answers for, under a false clock.
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { HistoryList } from "../../../src/agents/historyList.js";
import { ListChoice } from "../../../src/agents/listOptions.js";
import { MarkStore } from "../../../src/marks/markStore.js";
import type { HistoryPage } from "../../../src/panel/listMessages.js";
import type { SubagentService } from "../../../src/service/service.js";
import { EventEmitter } from "../../vscode.js";
import { FakeMemento } from "../memory.js";

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
