// The service on a client that the test answers for, under a false clock.
import { afterEach, beforeEach, expect, type Mock, test, vi } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";

import { ErrorCode, type InitializeResult } from "../../../src/protocol.js";
import { SidecarService } from "../../../src/service/sidecarService.js";
import { SetupError } from "../../../src/setup/failures.js";

interface FakeSidecar {
  readonly request: Mock<(method: string) => Promise<unknown>>;
  starts: number;
  info: Partial<InitializeResult>;
}

const sidecar = vi.hoisted((): FakeSidecar => ({
  request: vi.fn(),
  starts: 0,
  info: { instanceId: "1" },
}));
/** Stands for setup, which a test may hold up. */
const prepare = vi.fn<(report: (message: string) => void) => Promise<void>>();

vi.mock("../../../src/client/sidecarClient.js", () => ({
  SidecarClient: class {
    readonly request = sidecar.request;
    readonly onNotification = vi.fn();
    #tell: (state: object) => void = () => undefined;

    onState(tell: (state: object) => void): void {
      this.#tell = tell;
    }

    readonly info: Partial<InitializeResult> = sidecar.info;

    start(): Promise<void> {
      sidecar.starts += 1;
      this.#tell({ kind: "starting" });
      this.#tell({ kind: "running" });
      return Promise.resolve();
    }

    restart(): Promise<void> {
      return this.start();
    }

    stop(): Promise<void> {
      this.#tell({ kind: "idle" });
      return Promise.resolve();
    }
  },
}));

let service: SidecarService;

beforeEach(() => {
  vi.useFakeTimers();
  sidecar.starts = 0;
  sidecar.info = { instanceId: "1" };
  prepare.mockResolvedValue();
  service = new SidecarService({
    prepare: async (report) => {
      await prepare(report);
      return () => ({ program: "none", args: [] });
    },
    initialize: () => ({}),
    log: vi.fn(),
    isTrusted: () => true,
    settingsRefused: vi.fn(),
  });
});
afterEach(async () => {
  await service.stop();
  service.dispose();
  vi.useRealTimers();
});

/** Have the sidecar refuse these methods because of its storage, and answer all others. */
function refuse(...methods: string[]): void {
  sidecar.request.mockImplementation((method) =>
    methods.includes(method)
      ? Promise.reject(new ResponseError(ErrorCode.StorageError, "the journal is damaged"))
      : Promise.resolve({ items: [], max: 5 }),
  );
}

test("a sidecar whose runs cannot be read still answers for the history", async () => {
  refuse("asyncTasks/list");
  await service.start();
  expect(service.state).toEqual({
    kind: "running",
    message: "View-only: the journal is damaged.",
  });
  await expect(service.request("tasks/list", {})).resolves.toBeDefined();
});

test("a sidecar that takes the storage by itself is used on, without another start", async () => {
  const [restarted, history] = [vi.fn(), vi.fn()];
  service.onDidRestart(restarted);
  service.onDidChangeHistory(history);
  refuse("tasks/archive");
  await service.start();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(service.state.message).toMatch(/View-only/u);
  refuse();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(service.state).toEqual({ kind: "running" });
  expect([restarted, history].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  expect(sidecar.starts).toBe(1);
  sidecar.request.mockClear();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sidecar.request).not.toHaveBeenCalled();
});

test("the runners of shared settings, which the sidecar gets after its start, are known", async () => {
  const runners = [{ name: "check", type: "command", available: true }];
  sidecar.info = { instanceId: "1", runners: [], ignoredSettings: ["runners"] };
  sidecar.request.mockImplementation((method) =>
    Promise.resolve({ items: method === "runners/list" ? runners : [], max: 5 }),
  );
  await service.start();
  expect(service.info?.runners).toEqual(runners);
  runners.push({ name: "tour", type: "command", available: true });
  const changed = vi.fn();
  service.onDidChangeDefinitions(changed);
  await service.updateSettings({ maxAsyncTasks: 3 });
  expect(changed).not.toHaveBeenCalled();
  await service.updateSettings({ runners: {} });
  expect(service.info?.runners).toHaveLength(2);
  expect(changed).toHaveBeenCalledOnce();
});

test("a stop ends the questions for the storage", async () => {
  refuse("tasks/archive");
  await service.start();
  await service.stop();
  sidecar.request.mockClear();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sidecar.request).not.toHaveBeenCalled();
});

test("requests that come while setup replaces the sidecar wait for the next one", async () => {
  refuse();
  await service.start();
  const states: string[] = [];
  service.onDidChangeState(({ kind }) => states.push(kind));
  let finish = (): void => undefined;
  const setup = new Promise<void>((resolve) => {
    finish = resolve;
  });
  prepare.mockImplementation(async (report) => {
    report("Creating a private Python environment…");
    await service.disconnect();
    await setup;
  });
  const restart = service.restart();
  await vi.advanceTimersByTimeAsync(0);
  sidecar.request.mockClear();
  const launch = service.request("asyncTasks/launch", { subagentName: "one", goalPrompt: "Go" });
  await vi.advanceTimersByTimeAsync(1_000);
  expect([states, sidecar.request.mock.calls, sidecar.starts]).toEqual([["settingUp"], [], 1]);
  finish();
  await Promise.all([restart, launch]);
  expect(states).toEqual(["settingUp", "starting", "running"]);
  expect(sidecar.request.mock.calls.at(-1)?.[0]).toBe("asyncTasks/launch");
  expect(sidecar.starts).toBe(2);
});

test("a setup that finds no Python says that one has to be selected", async () => {
  const cause = SetupError.noPython([]);
  prepare.mockRejectedValue(new Error(cause.message, { cause }));
  await expect(service.start()).rejects.toThrow("No Python was found");
  expect(service.state).toMatchObject({ kind: "failed", needsPython: true });
  prepare.mockRejectedValue(new Error("The disk is full."));
  await expect(service.start()).rejects.toThrow("The disk is full.");
  expect(service.state).toEqual({ kind: "failed", message: "The disk is full." });
});
