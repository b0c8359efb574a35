import { expect, test } from "vitest";

import type { EndReason } from "../../../src/protocol.js";
import {
  elapsed,
  type RunState,
  runStatus,
  shownLook,
  shownStatus,
  STATUS_ICON,
  statusSentence,
  statusText,
  storedIcon,
} from "../../../src/text/outcome.js";
import { outcome } from "../../../src/text/outcomeStrings.js";
import { asyncTask } from "../tasks.js";

const RUNNING: RunState = { status: "running", isAsking: false };

test.each(Object.keys(outcome.end) as EndReason[])("the end by %s has a sentence", (endReason) => {
  expect(statusSentence({ status: "failed", endReason })).toMatch(/^[A-Z].*\.$/u);
});

test("a run that was lost on a node does not blame the sidecar", () => {
  const placement = { kind: "ray", state: "lost", node: "gpu-1" } as const;
  const lost = { status: "failed", endReason: "lost" } as const;
  expect(statusSentence({ ...lost, placement })).toBe(outcome.lostOnFleet);
  expect(statusSentence(lost)).toBe(outcome.endSentence.lost);
});

test.each<[Partial<RunState>, string]>([
  [{}, "Running"],
  [{ isAsking: true }, "Needs you"],
  [{ isAsking: true, isCancelling: true }, "Cancelling"],
  [{ retrying: { attempt: 2, text: "overloaded" } }, "Retrying (2): overloaded"],
  [{ status: "queued" }, "Queued"],
  [{ status: "queued", queuePosition: 1 }, "Queued (next)"],
  [{ status: "queued", queuePosition: 3 }, "Queued (#3)"],
  [
    {
      status: "queued",
      queuePosition: 1,
      waiting: { reason: "rateLimit", until: new Date(2026, 2, 4, 5, 6, 7).getTime() },
    },
    "Queued (next): rate limit reached until 05:06:07",
  ],
  [{ status: "completed", endReason: "goal" }, "Completed"],
  [{ status: "failed", endReason: "lost" }, "Lost"],
  [{ status: "failed", endReason: "error", errorKind: "network" }, "Failed: network error"],
  [{ status: "cancelled", isAsking: true, isCancelling: true }, "Cancelled"],
])("a run that is %j is described as %s", (state, text) => {
  expect(statusText({ ...RUNNING, ...state })).toBe(text);
});

test("an ended run shows its status, whatever was requested before", () => {
  expect(shownStatus({ ...RUNNING, status: "failed", isCancelling: true })).toBe("failed");
});

test("what was interrupted looks the same, whoever wrote it", () => {
  const run = shownLook({ ...RUNNING, status: "failed", endReason: "hostExit" });
  expect(STATUS_ICON[run]).toBe("circle-slash");
  for (const status of ["active", "abandoned", "unknown", "failed"] as const) {
    expect(storedIcon({ status, outcome: "interrupted" })).toBe("circle-slash");
  }
  expect(shownLook({ ...RUNNING, status: "failed", endReason: "error" })).toBe("failed");
  expect(storedIcon({ status: "unknown", outcome: "unknown" })).toBe("question");
});

test("a run is timed from its launch to its end, a queued one from its queueing", () => {
  expect(elapsed({ status: "running", launchedAt: 1_000 }, 6_000)).toBe("5s");
  expect(elapsed({ status: "failed", launchedAt: 1_000, completedAt: 3_000 }, 9_000)).toBe("2s");
  expect(elapsed({ status: "queued", queuedAt: 4_000 }, 9_000)).toBe("5s");
  expect(elapsed({ status: "queued" }, 9_000)).toBeUndefined();
  const lost = {
    status: "failed",
    endReason: "lost",
    launchedAt: 1_000,
    completedAt: 1_000,
  } as const;
  expect(elapsed(lost, 9_000)).toBeUndefined();
});

test("how long a lost run ran is unknown", () => {
  const times = { launchedAt: 1_000, completedAt: 3_000 };
  expect(elapsed({ status: "failed", endReason: "lost", ...times }, 9_000)).toBeUndefined();
});

test("a run's status is described as in the panel", () => {
  expect(runStatus(asyncTask("a", { status: "failed", endReason: "lost" }))).toBe("Lost");
  expect(runStatus(asyncTask("a", { status: "queued", queuePosition: 2 }))).toBe("Queued (#2)");
  const attention = { kind: "question", requestId: "r", title: "t", options: [] } as const;
  expect(runStatus(asyncTask("a", { attention: { ...attention, options: [] } }))).toBe("Needs you");
});
