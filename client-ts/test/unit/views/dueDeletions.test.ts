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
  const settings = new EventEmitter<void>();
  const service = {
    ...{ state: { kind: "running" }, request },
    ...{ onDidChangeState: states.event, onDidChangeHistory: history.event },
    onDidChangeSettings: settings.event,
  } as unknown as SubagentService;
  const deletions = new DueDeletions(service, memory);
  states.fire({ kind: "running" });
  await vi.advanceTimersByTimeAsync(0);
  return { deletions, history, request, memory, settings };
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

test("who keeps copies gets no message while the sidecar copies", async () => {
  shown.settings = { [KEY]: ["claude"] };
  const { deletions, request } = await informed();
  expect(deletions.due).toBeUndefined();
  request.mockResolvedValue({});
  await vi.advanceTimersByTimeAsync(600_000);
  expect(deletions.due).toBeUndefined();
});

test("what the sidecar does not copy is shown although the user keeps copies", async () => {
  shown.settings = { [KEY]: ["claude"] };
  const { deletions } = await informed();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(deletions.shown).toEqual(DUE);
  await deletions.keep();
  expect(shown.messages).toEqual([expect.stringContaining("history.keepMaxBytes")]);
  expect(deletions.shown).toEqual(DUE);
});

test("a change of the setting gives the sidecar time to copy", async () => {
  const { deletions, settings } = await informed();
  shown.settings = { [KEY]: ["claude"] };
  settings.fire();
  expect(deletions.due).toBeUndefined();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(deletions.due).toEqual(DUE);
  settings.fire();
  expect(deletions.due).toEqual(DUE);
  shown.settings = {};
  settings.fire();
  expect(deletions.due).toEqual(DUE);
});

test("sessions that become due while nothing changes are shown within an hour", async () => {
  const { deletions, request } = await informed(null);
  request.mockResolvedValue({ dueDeletion: DUE });
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(deletions.shown).toEqual(DUE);
});

test("a hidden line appears again within an hour after a day, once a day", async () => {
  const { deletions } = await informed();
  const announced: number[] = [];
  deletions.onDidChange(() => {
    if (deletions.shown !== undefined) {
      announced.push(Date.now());
      void deletions.dismiss();
    }
  });
  await vi.advanceTimersByTimeAsync(7 * 86_400_000);
  expect(announced.length).toBeGreaterThanOrEqual(6);
  for (const [index, at] of announced.slice(1).entries()) {
    expect(at - (announced[index] ?? at)).toBeGreaterThanOrEqual(86_400_000);
  }
});
