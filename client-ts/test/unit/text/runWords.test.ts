import { expect, test } from "vitest";

import type { ErrorKind } from "../../../src/protocol.js";
import { rowOf } from "../../../src/panel/runRow.js";
import { runStatus } from "../../../src/text/outcome.js";
import {
  allTokens,
  changeWords,
  costWords,
  errorWords,
  modelWords,
  placeWords,
  retryWords,
  unmetFacts,
  unmetSentence,
} from "../../../src/text/runWords.js";
import { asyncTask } from "../tasks.js";

const RETRYING = { attempt: 3, status: 429, text: "rate limited" };
const PROGRESS = { turns: 0, toolCalls: 0, lastActivityAt: 1_000 };

test.each([
  [RETRYING, "Retrying (3): rate limited (429)"],
  [{ attempt: 1, text: "" }, "Retrying (1)"],
  [
    { attempt: 2, status: 500, text: "HTTP 500\u202e\nfrom the server" },
    "Retrying (2): HTTP 500 from the server",
  ],
])("a repeated request is shown with its reason: %j", (retrying, words) => {
  expect(retryWords(retrying)).toBe(words);
  expect(runStatus(asyncTask("a", { progress: { ...PROGRESS, retrying } }))).toBe(words);
});

test.each<ErrorKind>([
  ...(["auth", "rateLimit", "overloaded", "network"] as const),
  ...(["contextLength", "modelNotFound", "other"] as const),
])("a run that failed of %s says so", (errorKind) => {
  const run = asyncTask("a", { status: "failed", endReason: "error", errorKind });
  expect(runStatus(run)).toBe(`Failed: ${errorWords(errorKind)}`);
});

test("changes are counted, and no changes are not mentioned", () => {
  expect(changeWords({ files: 2, additions: 10, deletions: 3 })).toBe("2 files +10 −3");
  expect(changeWords({ files: 0, additions: 0, deletions: 0 })).toBeUndefined();
  const changes = { files: 2, additions: 10, deletions: 3 };
  expect(changeWords({ ...changes, uncountedFiles: 1 })).toBe("2 files +10 −3 (1 not counted)");
  expect(changeWords({ files: 1, additions: 0, deletions: 0, uncountedFiles: 1 })).toBe("1 file");
  expect(changeWords(undefined)).toBeUndefined();
});

test("an ended run with an unknown cost says so, if it used tokens", () => {
  const costOf = (changes: object, used: object) =>
    rowOf(asyncTask("a", { ...changes, progress: { ...PROGRESS, ...used } })).cost;
  expect(costWords(costOf({ status: "completed" }, { outputTokens: 5 }))).toBe("cost unknown");
  expect(costWords(costOf({ status: "running" }, { outputTokens: 5 }))).toBeUndefined();
  expect(costWords(costOf({ status: "completed" }, {}))).toBeUndefined();
  expect(costWords(costOf({ status: "completed" }, { outputTokens: 5, cost: 0 }))).toBeUndefined();
  expect(costWords(costOf({ status: "completed" }, { cost: 0.5 }))).toBe("$0.50");
});

test("model, effort and mode are shown as far as they are known", () => {
  expect(modelWords({ model: "m-1", mode: "plan" })).toEqual(["m-1", "plan mode"]);
  expect(modelWords({ model: "m-1", effort: "high" })).toEqual(["m-1", "high effort"]);
  expect(modelWords({})).toEqual([]);
});

test.each([
  [undefined, undefined],
  [{ kind: "local", state: "running" }, undefined],
  [{ kind: "ray", state: "waiting" }, "waiting for a node"],
  [{ kind: "ray", state: "running", node: "gpu-1\u202e", lastHeardAt: 1_000 }, "on gpu-1"],
  [
    { kind: "ray", state: "reconnecting", node: "gpu-1", lastHeardAt: 1_000 },
    "on gpu-1, no response for 12s",
  ],
  [{ kind: "ray", state: "lost", node: "gpu-1", lastHeardAt: 1_000 }, "on gpu-1"],
] as const)("a run with the placement %j is %j", (placement, words) => {
  expect(placeWords({ placement, status: "running" }, 13_000)).toBe(words);
});

test("a row names what its run goes without", () => {
  const unmet = [
    { kind: "mcpServer", wanted: "docs" },
    { kind: "model", wanted: "large", inForce: "small" },
  ] as const;
  expect(unmetFacts(unmet)).toEqual(["docs does not work", "large ignored"]);
  expect(unmetFacts()).toEqual([]);
  expect(rowOf(asyncTask("a", { progress: { ...PROGRESS, unmet: [...unmet] } })).unmet).toEqual(
    unmet,
  );
});

test.each([
  [
    { kind: "mcpServer", wanted: "docs", reason: "it\nclosed" },
    "The MCP server docs does not work, so its tools are missing: it closed",
  ],
  [
    { kind: "mcpServer", wanted: "docs" },
    "The MCP server docs does not work, so its tools are missing.",
  ],
  [
    { kind: "model", wanted: "large", inForce: "small" },
    "The agent ignored the model large and uses small.",
  ],
  [
    { kind: "effort", wanted: "high", inForce: "low" },
    "The agent ignored the effort high and uses low.",
  ],
] as const)("a conversation says what its run goes without: %j", (unmet, words) => {
  expect(unmetSentence(unmet)).toBe(words);
});

test("tokens of the cache count", () => {
  const used = { inputTokens: 1, outputTokens: 2, cacheReads: 30, cacheWrites: 400 };
  expect([allTokens(used), allTokens({})]).toEqual([433, 0]);
});

test("a row names the files of a request inside the folder of its run", () => {
  const asked = { kind: "permission" as const, requestId: "q", options: [], title: "Write", at: 1 };
  const paths = ["/house/src/a.py", "/elsewhere/b.py"];
  const attention = { ...asked, toolKind: "edit", paths };
  expect(rowOf(asyncTask("a", { attention })).asks).toBe("src/a.py, /elsewhere/b.py");
});

test("a row of the panel has what its head and its list say", () => {
  const known = { mode: "ask", model: "m-1", changes: { files: 1, additions: 1, deletions: 0 } };
  const task = asyncTask("a", { ...known, progress: { ...PROGRESS, retrying: RETRYING } });
  expect(rowOf(task)).toMatchObject({ ...known, retrying: RETRYING });
});

test("a run that continues another one says so in its row", () => {
  expect(rowOf(asyncTask("b", { resumes: "a" })).continues).toBe(true);
  expect(rowOf(asyncTask("a")).continues).toBeUndefined();
});
