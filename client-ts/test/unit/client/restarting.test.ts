// The life of the client over sessions that the test opens and ends itself, under a false clock.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { SidecarUnavailableError, StartError } from "../../../src/util/errors.js";
import type { InitializeResult } from "../../../src/protocol.js";
import type { Session } from "../../../src/client/session.js";
import { SidecarClient, type SidecarClientOptions } from "../../../src/client/sidecarClient.js";

class FakeSession implements Session {
  readonly info: InitializeResult;
  readonly pid = undefined;
  readonly closed: Promise<string>;
  readonly close = vi.fn(() => Promise.resolve());
  crash!: (reason: string) => void;

  constructor(instanceId: string) {
    this.info = {
      protocolVersion: 1,
      serverInfo: { name: "fake", version: "1" },
      storageRoot: "",
      methods: [],
      runners: [],
      instanceId,
    };
    this.closed = new Promise((resolve) => {
      this.crash = resolve;
    });
  }

  request(): Promise<unknown> {
    return Promise.resolve(this.info.instanceId);
  }

  notify(): Promise<void> {
    return Promise.resolve();
  }
}

class World {
  readonly sessions: FakeSession[] = [];
  readonly states: string[] = [];
  readonly client: SidecarClient;
  failures: Error[] = [];
  private gate = Promise.resolve();

  constructor(options: Partial<SidecarClientOptions> = {}) {
    const command = { program: "none", args: [] };
    this.client = new SidecarClient(
      { command, initialize: () => ({}), ...options },
      async (_options, _peer, signal) => {
        await this.gate;
        signal.throwIfAborted();
        const failure = this.failures.shift();
        if (failure !== undefined) {
          throw failure;
        }
        const session = new FakeSession(String(this.sessions.length + 1));
        this.sessions.push(session);
        return session;
      },
    );
    this.client.onState((state) => this.states.push(state.kind));
  }

  /** Hold every opening from now on until the returned function is called. */
  hold(): () => void {
    let release = (): void => undefined;
    this.gate = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  get last(): FakeSession {
    const session = this.sessions.at(-1);
    if (session === undefined) {
      throw new Error("no session was opened");
    }
    return session;
  }
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test("a crash is answered by another start after the wait, and reported to subscribers", async () => {
  const world = new World({ restart: { baseMs: 100 } });
  const restarted = vi.fn();
  world.client.onRestarted((info) => {
    restarted(info.instanceId);
  });
  await world.client.start();
  world.last.crash("exited with code 1");
  await settle();
  expect(world.client.state).toEqual({
    kind: "restarting",
    message: "The sidecar stopped unexpectedly: it exited with code 1. Restarting in 1 s…",
  });
  await vi.advanceTimersByTimeAsync(99);
  expect(world.sessions).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(world.client.state.kind).toBe("running");
  expect(restarted.mock.calls).toEqual([["2"]]);
});

test("a crash loop ends in a failure that says how the last crash went", async () => {
  const world = new World({ restart: { maxCrashes: 2 } });
  await world.client.start();
  for (let crash = 0; crash < 3; crash += 1) {
    world.last.crash("exited with code 9");
    await vi.advanceTimersByTimeAsync(20_000);
  }
  expect(world.client.state).toEqual({
    kind: "failed",
    message: "The sidecar crashed 3 times and won't be restarted. Last time it exited with code 9.",
  });
  expect(world.sessions).toHaveLength(3);
});

test("start after a failure tries again with the crashes forgotten", async () => {
  const world = new World({ restart: { maxCrashes: 0 } });
  await world.client.start();
  world.last.crash("exited");
  await settle();
  await world.client.start();
  expect(world.client.state.kind).toBe("running");
});

test("a start that cannot succeed is not tried again", async () => {
  const world = new World();
  world.failures = [new StartError("no python")];
  await expect(world.client.start()).rejects.toThrow("no python");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(world.states).toEqual(["starting", "failed"]);
});

test("a start that fails by chance is tried again, and start waits for it", async () => {
  const world = new World();
  world.failures = [new Error("exited with code 1")];
  const started = world.client.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await started).instanceId).toBe("1");
});

test("starts while starting share one sidecar", async () => {
  const world = new World();
  const [first, second] = await Promise.all([world.client.start(), world.client.start()]);
  expect(first).toBe(second);
  expect(world.sessions).toHaveLength(1);
});

test("requests without a connection say what state the sidecar is in", async () => {
  const world = new World();
  const asked = world.client.request("health", {});
  await expect(asked).rejects.toThrow(SidecarUnavailableError);
  await expect(asked).rejects.toThrow("health: the sidecar is not running");
});

test("stop during the start leaves nothing running and rejects the start", async () => {
  const world = new World();
  const release = world.hold();
  const started = world.client.start();
  await settle();
  const stopped = world.client.stop();
  release();
  await expect(started).rejects.toThrow(SidecarUnavailableError);
  await stopped;
  expect(world.sessions).toHaveLength(0);
  expect(world.states).toEqual(["starting", "idle"]);
});

test("stop during the wait before a restart ends the wait", async () => {
  const world = new World();
  await world.client.start();
  world.last.crash("exited");
  await settle();
  await world.client.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(world.sessions).toHaveLength(1);
  expect(world.client.state.kind).toBe("idle");
});

test("stop is idempotent, before the start as well", async () => {
  const world = new World();
  await world.client.stop();
  await world.client.start();
  await Promise.all([world.client.stop(), world.client.stop()]);
  await world.client.stop();
  expect(world.last.close).toHaveBeenCalledTimes(1);
  expect(world.states).toEqual(["starting", "running", "idle"]);
});

test("a start right after a stop waits until the old sidecar is gone", async () => {
  const world = new World();
  await world.client.start();
  let gone = (): void => undefined;
  world.last.close.mockImplementation(
    () =>
      new Promise((resolve) => {
        gone = resolve;
      }),
  );
  void world.client.stop();
  const started = world.client.start();
  await settle();
  expect(world.sessions).toHaveLength(1);
  gone();
  expect((await started).instanceId).toBe("2");
});

test("restarts asked for during a restart become one more", async () => {
  const world = new World();
  await world.client.start();
  const running = world.client.restart();
  const queued = [world.client.restart(), world.client.restart(), world.client.restart()];
  expect((await running).instanceId).toBe("2");
  const infos = await Promise.all(queued);
  expect(infos.map((info) => info.instanceId)).toEqual(["3", "3", "3"]);
  expect(world.sessions).toHaveLength(3);
});

test("stop drops a queued restart", async () => {
  const world = new World();
  await world.client.start();
  const running = world.client.restart();
  const queued = world.client.restart();
  await world.client.stop();
  await expect(running).rejects.toThrow(SidecarUnavailableError);
  await expect(queued).rejects.toThrow(SidecarUnavailableError);
  expect(world.sessions).toHaveLength(1);
  expect(world.client.state.kind).toBe("idle");
});

test("a crash that no restart can fix fails at once, with the remedy", async () => {
  const explainFatal = (reason: string) => (reason.includes("module") ? "Reinstall." : undefined);
  const world = new World({ explainFatal });
  await world.client.start();
  world.last.crash("exited with code 1: no module");
  await settle();
  expect(world.client.state).toEqual({ kind: "failed", message: "Reinstall." });
});

test("a restart passes through no state that looks stopped", async () => {
  const world = new World();
  await world.client.start();
  await world.client.restart();
  expect(world.states).toEqual(["starting", "running", "restarting", "starting", "running"]);
});

test("a state listener that throws does not stop the client", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const world = new World();
  world.client.onState(() => {
    throw new Error("broken view");
  });
  await world.client.start();
  expect(logged).toHaveBeenCalled();
  expect(world.client.state.kind).toBe("running");
});
