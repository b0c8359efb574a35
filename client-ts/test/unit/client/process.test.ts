// The client over a real process: a scripted sidecar written in JavaScript.
import { fileURLToPath } from "node:url";

import { afterEach, expect, test, vi } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";

import { isRefusal, SidecarUnavailableError, StartError } from "../../../src/util/errors.js";
import { ErrorCode } from "../../../src/protocol.js";
import { SidecarClient, type SidecarClientOptions } from "../../../src/client/sidecarClient.js";
import type { SidecarState } from "../../../src/client/state.js";

const SCRIPT = fileURLToPath(new URL("scriptedSidecar.mjs", import.meta.url));
const QUICK = { shutdownMs: 200, exitMs: 200, terminateMs: 200 };
const opened: SidecarClient[] = [];

function client(script: object, options: Partial<SidecarClientOptions> = {}): SidecarClient {
  const made = new SidecarClient({
    command: { program: process.execPath, args: [SCRIPT, JSON.stringify(script)] },
    initialize: () => ({ workspaceTrusted: true }),
    restart: { baseMs: 10, maxCrashes: 2 },
    stop: QUICK,
    ...options,
  });
  opened.push(made);
  return made;
}

function reaches(of: SidecarClient, kind: SidecarState["kind"]): Promise<SidecarState> {
  return new Promise((resolve) => {
    const subscription = of.onState((state) => {
      if (state.kind === kind) {
        subscription.dispose();
        resolve(state);
      }
    });
  });
}

function alive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

afterEach(() => Promise.all(opened.splice(0).map((made) => made.stop())));

test("the handshake carries the version, the client's process and what the caller adds", async () => {
  const info = await client({}).start();
  expect(JSON.parse(info.storageRoot)).toEqual({
    protocolVersion: 1,
    processId: process.pid,
    workspaceTrusted: true,
  });
});

test("requests are answered", async () => {
  const sidecar = client({});
  await sidecar.start();
  const answer = await sidecar.request("tools/call", { name: "x", arguments: { jsonrpc: "ä" } });
  expect(answer).toEqual({ llmContent: '{"jsonrpc":"ä"}', returnDisplay: "x" });
});

test("a refusal keeps its code and data", async () => {
  const sidecar = client({});
  await sidecar.start();
  const error: unknown = await sidecar
    .request("asyncTasks/get", { taskId: "f00" })
    .catch((reason: unknown) => reason);
  expect(isRefusal(error, ErrorCode.TaskNotFound) && error.data).toEqual({ taskId: "f00" });
  expect(isRefusal(error, ErrorCode.LimitReached)).toBe(false);
});

test("cancelling the token cancels the request in the sidecar", async () => {
  const sidecar = client({});
  await sidecar.start();
  const source = new CancellationTokenSource();
  sidecar.onNotification("log", () => {
    source.cancel(); // It has the request now.
  });
  const waiting = sidecar.request("asyncTasks/wait", { taskIds: ["a"] }, source.token);
  await expect(waiting).rejects.toMatchObject({ code: ErrorCode.RequestCancelled });
});

test("notifications come in order, progress and logs included", async () => {
  const log = vi.fn();
  const sidecar = client({}, { log });
  const seen: unknown[] = [];
  sidecar.onNotification("tasks/didChange", ({ revision }) => seen.push(revision));
  sidecar.onNotification("$/progress", ({ token }) => seen.push(token));
  await sidecar.start();
  await sidecar.request("tasks/refresh", {});
  expect(seen).toEqual(["t", 1, 2, 3]);
  expect(log).toHaveBeenCalledWith("warning", "careful");
});

test("what the sidecar asks is answered by the handler, and refused without one", async () => {
  const sidecar = client({});
  await sidecar.start();
  expect((await sidecar.request("reminders/status", {})).text).toBe("refused with -32601");
  sidecar.onRequest("agent/triggerTurn", ({ taskIds }) => ({ accepted: taskIds[0] === "a" }));
  expect((await sidecar.request("reminders/status", {})).text).toBe('{"accepted":true}');
});

test("a method takes one handler at a time", () => {
  const sidecar = client({});
  const first = sidecar.onRequest("agent/triggerTurn", () => ({ accepted: true }));
  const second = (): unknown => sidecar.onRequest("agent/triggerTurn", () => ({ accepted: false }));
  expect(second).toThrow("already has a handler");
  first.dispose();
  expect(second).not.toThrow();
});

test("a crash rejects what was asked and brings a new sidecar", async () => {
  const sidecar = client({});
  const before = await sidecar.start();
  const back = reaches(sidecar, "running");
  await expect(sidecar.request("health", {})).rejects.toThrow(SidecarUnavailableError);
  await back;
  expect(sidecar.info?.instanceId).not.toBe(before.instanceId);
});

test("a crash loop fails and shows the last output of the sidecar", async () => {
  const sidecar = client({ crashAtStart: true, stderr: "Traceback\nNo module named sidecar\n" });
  await expect(sidecar.start()).rejects.toThrow("exited with code 3: No module named sidecar");
  expect(sidecar.state.kind).toBe("failed");
});

test("a program that does not exist fails at once with the remedy", async () => {
  const command = { program: "no-such-python", args: [] };
  const sidecar = client({}, { command });
  await expect(sidecar.start()).rejects.toThrow(/"no-such-python" was not found.*Python 3\.11/);
  expect(sidecar.state.kind).toBe("failed");
});

test("a program that may not be run fails at once", async () => {
  const sidecar = client({}, { command: { program: SCRIPT, args: [] } });
  await expect(sidecar.start()).rejects.toThrow(StartError);
});

test("another protocol version fails at once", async () => {
  const sidecar = client({ version: 2 });
  await expect(sidecar.start()).rejects.toThrow("protocol version 2, but the extension uses 1");
});

test("a refused initialize fails at once with the sidecar's words", async () => {
  const sidecar = client({ refuse: "unknown setting asyncTasks.mx" });
  await expect(sidecar.start()).rejects.toThrow("unknown setting asyncTasks.mx");
});

test("a sidecar that never answers initialize is given up", async () => {
  const sidecar = client({ silent: true }, { initializeMs: 150, restart: { maxCrashes: 0 } });
  await expect(sidecar.start()).rejects.toThrow(
    "crashed once and won't be restarted. Last time it did not answer within 0.15 s.",
  );
});

test("a stray print on the wire is a crash, not a silence", async () => {
  const sidecar = client({});
  await sidecar.start();
  const crashed = reaches(sidecar, "restarting");
  await Promise.allSettled([sidecar.request("tools/list", {})]);
  expect(await crashed).toMatchObject({
    message: expect.stringContaining("invalid message") as string,
  });
});

test("stderr reaches the log in lines", async () => {
  const log = vi.fn();
  await client({ stderr: "one\ntwo" }, { log }).start();
  await vi.waitFor(() => {
    expect(log.mock.calls).toContainEqual(["info", "one"]);
  });
});

test("stop leaves no process, even one that ignores end and SIGTERM", async () => {
  for (const script of [{}, { ignoreEnd: true }, { ignoreEnd: true, ignoreTerm: true }]) {
    const sidecar = client(script);
    const { instanceId } = await sidecar.start();
    await sidecar.stop();
    expect(alive(instanceId)).toBe(false);
    expect(sidecar.state.kind).toBe("idle");
  }
});

test("stop during the handshake leaves no process", async () => {
  let pid = "";
  const log = (_level: string, message: string): void => {
    pid = message;
  };
  const sidecar = client({ silent: true, sayPid: true }, { log });
  const started = sidecar.start();
  await vi.waitFor(() => {
    expect(pid).not.toBe("");
  });
  const stopped = sidecar.stop();
  await expect(started).rejects.toThrow(SidecarUnavailableError);
  await stopped;
  expect(alive(pid)).toBe(false);
});

test("a listener outlives a restart", async () => {
  const sidecar = client({});
  const seen: number[] = [];
  sidecar.onNotification("tasks/didChange", ({ revision }) => seen.push(revision));
  await sidecar.start();
  await sidecar.restart();
  await sidecar.request("tasks/refresh", {});
  expect(seen).toEqual([1, 2, 3]);
});
