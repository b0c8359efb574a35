import { beforeEach, expect, test } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";

import { orQueue } from "../../src/commands/queueing.js";
import { ErrorCode } from "../../src/protocol.js";
import { shown } from "../vscode.js";

/** A sidecar at its limit. */
function ask({ overLimit }: { overLimit?: "queue" }): Promise<string> {
  return overLimit === "queue"
    ? Promise.resolve("waits")
    : Promise.reject(new ResponseError(ErrorCode.LimitReached, "5 of 5 run"));
}

beforeEach(() => {
  shown.messages = [];
  shown.answers = [];
});

test("over the limit a run waits in line if the user wants it to", async () => {
  shown.answers = ["Queue It"];
  expect(await orQueue(ask)).toBe("waits");
  expect(shown.messages).toEqual(["5 of 5 run"]);
  expect(await orQueue(ask)).toBeUndefined();
});

test("what is refused for another reason is told as it is", async () => {
  const refusal = new ResponseError(ErrorCode.NotTrusted, "no trust");
  await expect(orQueue(() => Promise.reject(refusal))).rejects.toBe(refusal);
  expect(shown.messages).toEqual([]);
});
