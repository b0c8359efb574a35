import { expect, test } from "vitest";

import { SetupError } from "../../../src/setup/failures.js";
import type { ProgramResult, RunProgram } from "../../../src/setup/program.js";
import { findPython, namesOnPath, type PythonSources } from "../../../src/setup/python.js";

const NEVER = new AbortController().signal;
const NOTHING_SELECTED = () => Promise.resolve(undefined);

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
  const all = { setting: "", selected: NOTHING_SELECTED, ...sources };
  return findPython(all, machine(programs), "/", NEVER);
}

test("the first Python on the PATH that is new enough is taken", async () => {
  const found = await find({ python3: python("3.9.2"), "python3.12": python("3.12.1") });
  expect(found).toEqual({ program: "/bin/python-3.12.1", version: "3.12.1" });
});

test("the interpreter of the Python extension goes before the PATH", async () => {
  const selected = () => Promise.resolve("/project/python");
  const programs = { "/project/python": python("3.13.0"), python3: python("3.11.0") };
  expect((await find(programs, { selected })).version).toBe("3.13.0");
});

test("a selected interpreter that is too old does not stand in the way", async () => {
  const selected = () => Promise.resolve("/project/python");
  const programs = { "/project/python": python("3.8.0"), python3: python("3.11.0") };
  expect((await find(programs, { selected })).version).toBe("3.11.0");
});

test("the setting is the last word, and a wrong one is named", async () => {
  const programs = { python3: python("3.12.0"), "/old": python("3.10.4") };
  await expect(find(programs, { setting: "/old" })).rejects.toThrow(/"\/old".*Python 3\.10\.4/);
  await expect(find(programs, { setting: "/none" })).rejects.toThrow(
    /"\/none".*there is no such file/,
  );
});

test("without any Python the remedy is said", async () => {
  await expect(find({})).rejects.toThrow(/No Python was found.*3\.11 or newer.*pythonPath/);
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
])("what is no Python is passed over: $output", async (stub) => {
  const found = await find({ python3: stub, "python3.11": python("3.11.4") });
  expect(found.version).toBe("3.11.4");
});

test("on Windows the launcher is asked first", () => {
  expect(namesOnPath("win32")[0]).toEqual(["py", "-3"]);
});
