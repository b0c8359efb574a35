import { homedir } from "node:os";
import path from "node:path";

import { expect, test } from "vitest";

import {
  type Configuration,
  pickSettings,
  sidecarRoots,
  sidecarSettings,
} from "../../../src/service/settings.js";
import { withRemovals } from "../../../src/views/settingsChanges.js";

/** A configuration in which the user has set `values`, and the rest is as the manifest has it. */
function configuration(values: Record<string, unknown>): Configuration {
  const get = (key: string, fallback?: unknown) => values[key] ?? fallback;
  const inspect = (key: string) => ({ key, globalValue: values[key] });
  return { get, inspect } as Configuration;
}

const EXAMPLE = {
  directory: "/extension/example",
  runnerName: "example",
  runner: { type: "command" as const, command: ["python"] },
};

test("what the user has not set is left to the sidecar's own file", () => {
  expect(sidecarSettings(configuration({}), undefined)).toEqual({});
  expect(sidecarRoots(configuration({}))).toEqual({ foreignRoots: [] });
});

test("what the user has set is handed on by the sidecar's names", () => {
  const set = { maxAsyncTasks: 2, overLimit: "queue", defaultRunner: "auto" };
  expect(sidecarSettings(configuration(set), undefined)).toEqual({
    asyncTasks: { max: 2, overLimit: "queue" },
    defaultRunner: "auto",
  });
});

test("settings of the last window are handed on once the user has set them", () => {
  const set = { "host.onLastWindowClose": "stop", "host.surviveMinutes": 5 };
  expect(sidecarSettings(configuration(set), undefined)).toEqual({
    host: { onLastWindowClose: "stop", surviveMinutes: 5 },
  });
});

test("discovery is handed on once it is set", () => {
  const set = { "history.autoDiscover": false };
  expect(sidecarSettings(configuration(set), undefined)).toEqual({
    history: { autoDiscover: false },
  });
});

test("settings are picked by the sidecar's names, groups and single members", () => {
  const runners = { mine: { type: "command" as const, command: ["x"] } };
  const asyncTasks = { max: 2, overLimit: "queue" as const, perRunnerMax: {} };
  const all = { runners, asyncTasks, defaultRunner: "auto" };
  const names = ["asyncTasks.max", "asyncTasks.perRunnerMax", "runners"];
  expect(pickSettings(all, names)).toEqual({ runners, asyncTasks: { max: 2, perRunnerMax: {} } });
});

test("approved definitions are passed on, with and without directories", () => {
  const approvedAgents = ["sha256:1"];
  expect(sidecarSettings(configuration({ approvedAgents }), undefined)).toEqual({
    agents: { approved: approvedAgents },
  });
  const both = { approvedAgents, agentDirectories: ["/mine"] };
  expect(sidecarSettings(configuration(both), undefined)).toEqual({
    agents: { directories: ["/mine"], approved: approvedAgents },
  });
});

test("the example goes behind the user's own, and overrides nothing of theirs", () => {
  const own = { type: "acp", command: ["mine"] };
  const set = { agentDirectories: ["/mine"], runners: { example: own } };
  expect(sidecarSettings(configuration(set), EXAMPLE)).toEqual({
    agents: { directories: ["/mine", "/extension/example"] },
    runners: { example: own },
  });
});

test("a leading ~ is the home directory", () => {
  const roots = sidecarRoots(configuration({ storageRoot: "~/tasks", foreignRoots: ["~", "/a~"] }));
  expect(roots).toEqual({
    storageRoot: path.join(homedir(), "tasks"),
    foreignRoots: [path.join(homedir(), ""), "/a~"],
  });
});

test("what is no longer set is taken back", () => {
  const before = { asyncTasks: { max: 2, overLimit: "queue" }, defaultRunner: "auto" };
  expect(withRemovals(before, { asyncTasks: { max: 3 } })).toEqual({
    asyncTasks: { max: 3, overLimit: null },
    defaultRunner: null,
  });
  expect(withRemovals({}, before)).toEqual(before);
});

test("a runner that is no longer set is taken back, but nothing of a list", () => {
  const runner = { type: "command", command: ["a"] };
  const before = { runners: { one: runner, two: runner }, agents: { directories: ["/a", "/b"] } };
  const now = { runners: { two: runner }, agents: { directories: ["/b"] } };
  expect(withRemovals(before, now)).toEqual({
    runners: { one: null, two: runner },
    agents: { directories: ["/b"] },
  });
});
