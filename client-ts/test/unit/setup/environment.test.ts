// The environment is made in a real folder; Python and pip are scripted.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { readBundle } from "../../../src/setup/bundle.js";
import { PythonEnvironment } from "../../../src/setup/environment.js";
import { SetupError } from "../../../src/setup/failures.js";
import { newestInterpreter } from "../../../src/setup/generations.js";
import type { ProgramResult, RunProgram } from "../../../src/setup/program.js";

const DONE: ProgramResult = { code: 0, output: "" };
let base: string;
let setting: string;
let calls: string[];
let venv: ProgramResult;
let pip: ProgramResult;
/** How `host stop` ends, and the process that it stops. */
let stop: ProgramResult & { host?: ChildProcess };

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), "sidecar-setup-"));
  await mkdir(path.join(base, "bundled"));
  await writeFile(path.join(base, "bundled", "requirements.txt"), "click==8\norjson==3.13.0\n");
  await bundleVersion("1");
  [setting, calls, venv, pip, stop] = ["", [], DONE, DONE, DONE];
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function bundleVersion(text: string): Promise<void> {
  await writeFile(path.join(base, "bundled", "subagent_sidecar-1.whl"), text);
}

const run: RunProgram = async (program, args, options) => {
  if (args.includes("host")) {
    calls.push(args.slice(3).join(" "));
    stop.host?.kill();
    return stop;
  }
  if (args.includes("venv")) {
    calls.push("venv");
    await makeInterpreter(args.at(-1) ?? "");
    return venv;
  }
  calls.push("pip");
  options.onLine?.("Collecting orjson==3.13.0");
  expect(path.isAbsolute(program)).toBe(true);
  return pip;
};

async function makeInterpreter(folder: string): Promise<void> {
  const [bin, name] = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  await mkdir(path.join(folder, bin), { recursive: true });
  await writeFile(path.join(folder, bin, name), "");
}

function environment(): PythonEnvironment {
  return new PythonEnvironment({
    storage: path.join(base, "storage"),
    bundle: () => readBundle(path.join(base, "bundled")),
    pythonSetting: () => setting,
    findPython: () => Promise.resolve({ program: "/python", version: "3.12.0" }),
    run,
    pipEnvironment: () => ({}),
    disconnect: () => {
      calls.push("disconnect");
      return Promise.resolve();
    },
    log: () => undefined,
  });
}

function ensure(signal = new AbortController().signal, reports: string[] = []): Promise<string> {
  return environment().ensure((message) => reports.push(message), signal);
}

test("the first run makes the environment and says what it does", async () => {
  const reports: string[] = [];
  const python = await ensure(undefined, reports);
  expect(python.startsWith(path.join(base, "storage", "venv-"))).toBe(true);
  expect(calls).toEqual(["venv", "pip"]);
  expect(reports).toContain("Downloading orjson (1 of 2)…");
});

test("the next run finds it and says nothing", async () => {
  const first = await ensure();
  const reports: string[] = [];
  expect(await ensure(undefined, reports)).toBe(first);
  expect(reports).toEqual([]);
  expect(calls).toEqual(["venv", "pip"]);
});

test("two at once make it once", async () => {
  const [one, two] = await Promise.all([ensure(), ensure()]);
  expect(one).toBe(two);
  expect(calls).toEqual(["venv", "pip"]);
});

test("a failed install is not taken for an environment", async () => {
  pip = { code: 1, output: "ERROR: a riddle" };
  await expect(ensure()).rejects.toBeInstanceOf(SetupError);
  pip = DONE;
  await ensure();
  expect(calls).toEqual(["venv", "pip", "venv", "pip"]);
});

test("an environment whose Python is gone is created again", async () => {
  await rm(await ensure());
  await ensure();
  expect(calls).toEqual(["venv", "pip", "venv", "pip"]);
});

test("another wheel gets another environment, and the old one goes", async () => {
  const old = await ensure();
  await bundleVersion("2");
  expect(await ensure()).not.toBe(old);
  expect(await readdir(path.join(base, "storage"))).toHaveLength(1);
});

test("a newly set Python creates another environment", async () => {
  await ensure();
  setting = "/other/python";
  await ensure();
  await ensure();
  expect(calls).toEqual(["venv", "pip", "venv", "pip"]);
});

async function environmentFolders(): Promise<string[]> {
  return (await readdir(path.join(base, "storage"))).filter((name) => !name.endsWith(".lock"));
}

/** Mark the environment of this interpreter as used by a Host with this process id. */
async function use(python: string, pid = process.pid): Promise<void> {
  const folder = path.join(path.dirname(python), "..", "in-use");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, String(pid)), "/a/root");
}

test("an environment that a Host uses stays, whatever wheel or Python comes next", async () => {
  const old = await ensure();
  await use(old);
  await bundleVersion("2");
  setting = "/other/python";
  expect(await ensure()).not.toBe(old);
  expect(await readdir(path.dirname(old))).not.toEqual([]);
});

test("the file of a Host that was killed keeps no environment", async () => {
  const old = await ensure();
  await use(old, 2 ** 22 + 1);
  await bundleVersion("2");
  await ensure();
  expect(await readdir(path.join(base, "storage"))).toHaveLength(1);
});

function renew(signal = new AbortController().signal): Promise<string> {
  return environment().renew(() => undefined, signal, {});
}

test("a reinstallation creates another environment, which is used from then on", async () => {
  const old = await ensure();
  const next = await renew();
  expect(next).not.toBe(old);
  expect([await ensure(), newestInterpreter(old)]).toEqual([next, next]);
  expect(calls).toEqual(["venv", "pip", "venv", "pip", "disconnect"]);
  expect(await environmentFolders()).toHaveLength(1);
});

test("a reinstallation that fails leaves the environment as it is", async () => {
  const old = await ensure();
  await use(old);
  pip = { code: 1, output: "ERROR: a riddle" };
  await expect(renew()).rejects.toBeInstanceOf(SetupError);
  expect([await ensure(), newestInterpreter(old)]).toEqual([old, old]);
  expect(calls).toEqual(["venv", "pip", "venv", "pip"]);
});

test("a reinstallation stops the Hosts of the old environment once the new one is complete", async () => {
  const old = await ensure();
  const host = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
  await use(old, host.pid);
  const ended = once(host, "exit");
  stop = { code: 0, output: "", host };
  await renew();
  await ended;
  expect(calls.slice(2)).toEqual([
    ...["venv", "pip", "disconnect"],
    "host stop --cancel-running --storage-root /a/root",
  ]);
  expect(await environmentFolders()).toHaveLength(1);
});

test("a Host that does not stop is reported, and keeps its environment", async () => {
  const old = await ensure();
  await use(old);
  stop = { code: 1, output: "it is busy" };
  await expect(renew()).rejects.toThrow(
    "The Host can't be stopped: it is busy. Close the other windows, then try again.",
  );
  expect(await environmentFolders()).toContain(path.basename(path.join(old, "../..")));
});

test("an environment without its Python is replaced by another one while a Host uses it", async () => {
  const old = await ensure();
  await use(old);
  await rm(old);
  expect(await ensure()).not.toBe(old);
  expect(await environmentFolders()).toHaveLength(2);
});

test("an aborted setup rejects with the abort, and leaves no lock", async () => {
  const abort = new AbortController();
  abort.abort(new Error("enough"));
  await expect(ensure(abort.signal)).rejects.toThrow("enough");
  await ensure();
});

test("without a wheel the extension is called incomplete", async () => {
  await rm(path.join(base, "bundled"), { recursive: true });
  await expect(ensure()).rejects.toThrow(/incomplete.*Reinstall/);
});

test("storage that cannot be written is explained", async () => {
  await writeFile(path.join(base, "storage"), "a file in the way");
  await expect(ensure()).rejects.toThrow(/Can't write/);
});
