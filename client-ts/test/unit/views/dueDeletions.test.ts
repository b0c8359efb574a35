import { beforeEach, expect, test, vi } from "vitest";

import type { DueDeletion } from "../../../src/protocol.js";
import type { ServiceState, SubagentService } from "../../../src/service/service.js";
import { DueDeletions } from "../../../src/views/dueDeletions.js";
import { EventEmitter, shown } from "../../vscode.js";
import { FakeMemento } from "../memory.js";

const KEY = "history.keep";
const DUE: DueDeletion = { tasks: 34, withinDays: 3, firstAt: 5, products: ["claude"] };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_000 });
  Object.assign(shown, { messages: [], buttons: [], answers: [], settings: {} });
  return () => {
    vi.useRealTimers();
  };
});

/** A window that learns of `found`. */
async function informed(found: DueDeletion | null = DUE, memory = new FakeMemento()) {
  const states = new EventEmitter<ServiceState>();
  const history = new EventEmitter<object>();
  const request = vi.fn(() => Promise.resolve(found === null ? {} : { dueDeletion: found }));
  const service = {
    ...{ state: { kind: "running" }, request },
    ...{ onDidChangeState: states.event, onDidChangeHistory: history.event },
    onDidChangeSettings: new EventEmitter<void>().event,
  } as unknown as SubagentService;
  const deletions = new DueDeletions(service, memory);
  states.fire({ kind: "running" });
  await vi.advanceTimersByTimeAsync(0);
  return { deletions, history, request, memory };
}

test("what will be deleted soon is shown", async () => {
  expect((await informed()).deletions.shown).toEqual(DUE);
  expect((await informed(null)).deletions.shown).toBeUndefined();
});

test("the sessions are counted rarely, however often the history changes", async () => {
  const { history, request } = await informed();
  for (let times = 0; times < 50; times += 1) {
    history.fire({});
  }
  await vi.advanceTimersByTimeAsync(600_000);
  expect(request).toHaveBeenCalledTimes(2);
});

test("who hides the line is informed again a day later, and in the status bar at any time", async () => {
  const { deletions, memory } = await informed();
  await deletions.dismiss();
  expect([deletions.shown, deletions.due]).toEqual([undefined, DUE]);
  const { deletions: reloaded } = await informed(DUE, memory);
  await vi.advanceTimersByTimeAsync(86_000_000);
  expect(reloaded.shown).toBeUndefined();
  await vi.advanceTimersByTimeAsync(500_000);
  expect(reloaded.shown).toEqual(DUE);
});

test("the button adds the products to those of which copies are kept", async () => {
  shown.settings = { [KEY]: ["codex"] };
  const { deletions } = await informed();
  await deletions.keep();
  expect(shown.settings).toEqual({ [KEY]: ["codex", "claude"] });
  expect(deletions.due).toBeUndefined();
  expect(shown.messages).toEqual([expect.stringContaining("subagentSidecar.history.keep")]);
});

test("who keeps copies already gets no message", async () => {
  shown.settings = { [KEY]: ["claude"] };
  expect((await informed()).deletions.due).toBeUndefined();
});
