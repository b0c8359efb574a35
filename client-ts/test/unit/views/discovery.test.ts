import { beforeEach, expect, test, vi } from "vitest";

import type { ServiceState, SubagentService } from "../../../src/service/service.js";
import { discoverStores } from "../../../src/views/discovery.js";
import { EventEmitter, shown } from "../../vscode.js";

const KEY = "history.autoDiscover";

beforeEach(() => {
  Object.assign(shown, { messages: [], buttons: [], answers: [], settings: {} });
});

/** Start the sidecar in a window whose extension remembers `memory`. */
function start(memory = new Map<string, unknown>()) {
  const states = new EventEmitter<ServiceState>();
  const service = { onDidChangeState: states.event } as unknown as SubagentService;
  discoverStores(service, {
    get: (key: string, fallback?: unknown) => memory.get(key) ?? fallback,
    update: (key: string, value: unknown) => Promise.resolve(void memory.set(key, value)),
    keys: () => [],
  });
  states.fire({ kind: "starting" });
  states.fire({ kind: "running" });
  return memory;
}

test("the first start turns discovery on, and says so once", async () => {
  const memory = start();
  await vi.waitFor(() => {
    expect(shown.messages).toHaveLength(1);
  });
  expect(shown.settings).toEqual({ [KEY]: true });
  shown.settings = {}; // The user removes it, which is a decision as well.
  start(memory);
  expect(shown.settings).toEqual({});
  expect(shown.messages).toHaveLength(1);
});

test("its button turns discovery off", async () => {
  shown.answers = ["Turn Off"];
  start();
  await vi.waitFor(() => {
    expect(shown.settings).toEqual({ [KEY]: false });
  });
});

test("who has decided gets no message", () => {
  shown.settings = { [KEY]: false };
  start();
  expect(shown.messages).toEqual([]);
  expect(shown.settings).toEqual({ [KEY]: false });
});
