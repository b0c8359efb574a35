import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect, test } from "vitest";

import { SetupError } from "../../../src/setup/failures.js";
import { type ProgramResult, runProgram, type RunProgram } from "../../../src/setup/program.js";
import {
  findPython,
  namesOnPath,
  outsideOf,
  type PythonSources,
} from "../../../src/setup/python.js";

const NEVER = new AbortController().signal;

/** A machine with these programs; every other name is not found. */
function machine(programs: Record<string, ProgramResult>): RunProgram {
  return (program) => {
    const result = programs[program];
    return result === undefined
      ? Promise.reject(new Error(`spawn ${program} ENOENT`))
      : Promise.resolve(result);
  };
}

function python(version: string): ProgramResult {
  return { code: 0, output: `/bin/python-${version}\n${version}` };
}

function find(programs: Record<string, ProgramResult>, sources: Partial<PythonSources> = {}) {
  const all = { setting: "", environment: {}, ...sources };
  return findPython(all, machine(programs), "/", NEVER);
}

test("the first Python on the PATH that is new enough is taken", async () => {
  const found = await find({ python3: python("3.9.2"), "python3.12": python("3.12.1") });
  expect(found).toEqual({ program: "/bin/python-3.12.1", version: "3.12.1" });
});

test("a Python of the workspace is never run, whatever the PATH says", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "sidecar-path-"));
  const [inside, outside] = [path.join(folder, "work/.venv/bin"), path.join(folder, "work-tools")];
  for (const bin of [inside, outside]) {
    await mkdir(bin, { recursive: true });
    const script = `#!/bin/sh\n/bin/echo x >> ${bin}/ran; /bin/echo ${bin}/python3; /bin/echo 3.12.0\n`;
    await writeFile(path.join(bin, "python3"), script, { mode: 0o755 });
  }
  const variables = { PATH: [inside, "bin", "", outside].join(path.delimiter), HOME: "/h" };
  const environment = outsideOf([path.join(folder, "work")], variables);
  expect(environment).toEqual({ PATH: outside, HOME: "/h" });
  const found = await findPython({ setting: "", environment }, runProgram, folder, NEVER);
  expect(found.program).toBe(path.join(outside, "python3"));
  expect(existsSync(path.join(inside, "ran"))).toBe(false);
  await rm(folder, { recursive: true });
});

test("the setting is the last word, and a wrong one is named", async () => {
  const programs = { python3: python("3.12.0"), "/old": python("3.10.4") };
  await expect(find(programs, { setting: "/old" })).rejects.toThrow(/"\/old".*Python 3\.10\.4/);
  await expect(find(programs, { setting: "/none" })).rejects.toThrow(
    /"\/none".*the file does not exist/,
  );
});

test("without any Python the remedy is shown", async () => {
  await expect(find({})).rejects.toThrow(/No Python was found.*3\.11 or newer.*interpreter/);
});

test("only old Pythons are named with their versions", async () => {
  const failure = find({ python3: python("3.9.2"), python: python("2.7.18") });
  await expect(failure).rejects.toThrow(/Only Python 3\.9\.2 \(python3\), Python 2\.7\.18/);
  await expect(failure).rejects.toBeInstanceOf(SetupError);
});

test.each([
  { code: 9009, output: "Python was not found; run without arguments to install" },
  { code: 0, output: "" },
  { code: null, output: "No end after 15000 ms." },
])("what is not Python is skipped: $output", async (stub) => {
  const found = await find({ python3: stub, "python3.11": python("3.11.4") });
  expect(found.version).toBe("3.11.4");
});

test("on Windows the launcher is asked first", () => {
  expect(namesOnPath("win32")[0]).toEqual(["py", "-3"]);
});
