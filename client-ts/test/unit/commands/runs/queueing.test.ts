import { beforeEach, expect, test } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";

import { orQueue } from "../../../../src/commands/runs/queueing.js";
import { ErrorCode } from "../../../../src/protocol.js";
import { env, ran, shown } from "../../../vscode.js";

/** A sidecar at its limit. */
function ask({ overLimit }: { overLimit?: "queue" }): Promise<string> {
  const data = { running: 5, max: 5 };
  return overLimit === "queue"
    ? Promise.resolve("waits")
    : Promise.reject(new ResponseError(ErrorCode.LimitReached, "Max async tasks (5)", data));
}

beforeEach(() => {
  shown.messages = [];
  shown.answers = [];
  shown.settings = {};
  ran.length = 0;
  delete env.remoteName;
});

test("over the limit a run waits in line", async () => {
  expect(await orQueue(ask)).toBe("waits");
  expect(shown.messages).toEqual([]);
});

test("where the settings refuse that, the user is asked", async () => {
  shown.settings = { overLimit: "reject" };
  shown.answers = ["Add to Queue"];
  expect(await orQueue(ask)).toBe("waits");
  expect(shown.messages).toEqual(["Limit reached: 5 subagents can run at once."]);
  expect(await orQueue(ask)).toBeUndefined();
});

test("a program that is missing is named, with the way to the runners", async () => {
  const reason = "runner 'nosuch': program 'no-such-agent' is not found or not executable";
  const refusal = new ResponseError(ErrorCode.LaunchFailed, "x", { subagentName: "n", reason });
  expect(await orQueue(() => Promise.reject<string>(refusal))).toBeUndefined();
  expect(shown.messages).toEqual([`Can't start "n": the program no-such-agent was not found.`]);
});

test.each([
  [undefined, ["workbench.action.openSettings", "subagentSidecar.runners"]],
  ["wsl", ["workbench.action.openRemoteSettings", { query: "subagentSidecar.runners" }]],
])("the way leads to where the window lists the setting, remote: %s", async (remote, command) => {
  const reason = "runner 'nosuch': program 'no-such-agent' is not found or not executable";
  const refusal = new ResponseError(ErrorCode.LaunchFailed, "x", { subagentName: "n", reason });
  Object.assign(env, remote === undefined ? {} : { remoteName: remote });
  shown.answers = ["Open Runner Settings"];
  await orQueue(() => Promise.reject<string>(refusal));
  expect(ran).toEqual([command]);
});

test("what is refused for another reason is reported as it is", async () => {
  const refusal = new ResponseError(ErrorCode.NotTrusted, "no trust");
  await expect(orQueue(() => Promise.reject<string>(refusal))).rejects.toBe(refusal);
  expect(shown.messages).toEqual([]);
});
