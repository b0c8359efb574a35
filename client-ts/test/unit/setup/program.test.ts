import { expect, test } from "vitest";

import { runProgram } from "../../../src/setup/program.js";

function run(script: string, timeoutMs = 10_000, signal = new AbortController().signal) {
  const lines: string[] = [];
  const onLine = (line: string): void => {
    lines.push(line);
  };
  const options = { cwd: process.cwd(), timeoutMs, signal, onLine };
  return { lines, result: runProgram(process.execPath, ["-e", script], options) };
}

test("the output of both streams and the exit code are returned", async () => {
  const { lines, result } = run("console.log('out'); console.error('err'); process.exitCode = 3");
  const { code, output } = await result;
  expect(code).toBe(3);
  expect(output.split("\n").sort()).toEqual(["err", "out"]);
  expect(lines).toHaveLength(2);
});

test("a program that does not end is killed, and says so", async () => {
  const { result } = run("setInterval(() => {}, 1000)", 300);
  expect(await result).toEqual({ code: null, output: "Timed out after 0.3 s." });
});

test("an abort ends the program and rejects", async () => {
  const abort = new AbortController();
  const { result } = run("setInterval(() => {}, 1000)", 10_000, abort.signal);
  abort.abort();
  await expect(result).rejects.toThrow(/abort/i);
});

test("a program that is not there rejects", async () => {
  const signal = new AbortController().signal;
  const missing = runProgram("/no/such/program", [], { cwd: "/", timeoutMs: 1000, signal });
  await expect(missing).rejects.toThrow(/ENOENT/);
});
