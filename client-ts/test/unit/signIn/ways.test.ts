import { expect, test } from "vitest";

import type { RunnerAuth } from "../../../src/protocol.js";
import { signInCommandsFor } from "../../../src/signIn/lookup.js";
import { commandLine, needsSignIn, waysToSignIn } from "../../../src/signIn/ways.js";
import { asyncTask } from "../tasks.js";

const REFUSED = { status: "failed", reason: "authRequired", runner: "r" } as const;

function ways(auth: Partial<RunnerAuth>): string[] {
  return waysToSignIn({ name: "r", auth: { needed: true, methods: [], ...auth } }).map(commandLine);
}

test("the commands that an agent names replace the one that is known", () => {
  const method = { id: "m", name: "M" };
  expect(ways({ command: ["r", "login"] })).toEqual(["r login"]);
  expect(ways({ command: ["r", "login"], methods: [method] })).toEqual(["r login"]);
  const named = { ...method, command: ["r", "auth"] };
  expect(ways({ command: ["r", "login"], methods: [method, named] })).toEqual(["r auth"]);
  expect(ways({})).toEqual([]);
  expect(waysToSignIn({ name: "r" })).toEqual([]);
});

test("a shell takes each word as it is", () => {
  expect(commandLine({ command: ["/a b", "--x={}", "$HOME", "--y=1"] })).toBe(
    "'/a b' '--x={}' '$HOME' --y=1",
  );
});

test("a command that would end its line early is not offered", () => {
  expect(ways({ command: ["r", "login\nrm -r ."] })).toEqual([]);
});

test("a run needs a sign-in if its agent or its model refused it", () => {
  expect(needsSignIn(REFUSED)).toBe(true);
  expect(needsSignIn({ status: "failed", errorKind: "auth" })).toBe(true);
  expect(needsSignIn({ status: "failed", errorKind: "network" })).toBe(false);
  expect(needsSignIn({ status: "completed", errorKind: "auth" })).toBe(false);
});

test("only an agent that says that it needs a sign-in is shown without a command", async () => {
  const auth = { needed: true, methods: [], command: ["r", "login"] };
  const items: object[] = [{ name: "other", auth }, { name: "r" }];
  const service = { request: () => Promise.resolve({ items } as never) };
  const model = asyncTask("t", { ...REFUSED, reason: undefined, errorKind: "auth" } as never);
  expect(await signInCommandsFor(service, asyncTask("t", REFUSED))).toEqual([]);
  expect(await signInCommandsFor(service, model)).toBeUndefined();
  items.push({ name: "r", auth });
  expect(await signInCommandsFor(service, model)).toEqual(["r login"]);
  expect(await signInCommandsFor(service, asyncTask("t"))).toBeUndefined();
});
