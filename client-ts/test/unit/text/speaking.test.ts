import { expect, test } from "vitest";

import type { RunnerInfo } from "../../../src/protocol.js";
import { isResumable, takesMessages } from "../../../src/text/speaking.js";
import { asyncTask } from "../tasks.js";

function known(type: RunnerInfo["type"]) {
  return { info: { runners: [{ name: "r", type, available: true }] } };
}

test("a run takes messages while it runs, unless its runner is known to take none", () => {
  const running = asyncTask("t", { status: "running", runner: "r" });
  expect(takesMessages(known("acp"), running)).toBe(true);
  expect(takesMessages({ info: undefined }, running)).toBe(true);
  expect(takesMessages(known("command"), running)).toBe(false);
  expect(takesMessages(known("acp"), asyncTask("t", { status: "queued", runner: "r" }))).toBe(
    false,
  );
});

test("what has ended can be resumed, however it ended", () => {
  const ended = (["completed", "failed", "cancelled"] as const).map((status) =>
    asyncTask("t", { status }),
  );
  expect(ended.every(isResumable)).toBe(true);
  expect(isResumable(asyncTask("t", { status: "running" }))).toBe(false);
});
