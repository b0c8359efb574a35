// The panel and the trees use the words and figures of the command line; its tests read the same table.

import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import type { AsyncTask, Placement, Progress, TaskInfo } from "../../../src/protocol.js";
import { ago, dollars, duration } from "../../../src/l10n/format.js";
import { statusText } from "../../../src/text/outcome.js";
import { placeWords } from "../../../src/text/runWords.js";
import { storedStatus } from "../../../src/text/words.js";

type Run = Pick<AsyncTask, "status" | "endReason" | "errorKind" | "queuePosition" | "waiting"> &
  Pick<Progress, "retrying" | "awaitedServers">;

interface Table {
  readonly statuses: readonly (readonly [string, Run])[];
  readonly places: readonly (readonly [string | null, AsyncTask["status"], Placement | null])[];
  readonly storedStatuses: readonly (readonly [string, TaskInfo["status"], TaskInfo["outcome"]])[];
  readonly dollars: readonly (readonly [string, number])[];
  readonly durations: readonly (readonly [string, number])[];
  readonly ages: readonly (readonly [string, number])[];
}

const file = new URL("../../../../tests/surface_texts.json", import.meta.url);
const table = JSON.parse(readFileSync(file, "utf8")) as Table;

test.each(table.statuses)("a run is described as %s", (text, run) => {
  expect(statusText({ ...run, isAsking: false })).toBe(text);
});

test.each(table.places)("a place is described as %s", (text, status, placement) => {
  expect(placeWords({ status, placement: placement ?? undefined }, 0)).toBe(text ?? undefined);
});

test.each(table.storedStatuses)("a stored task is described as %s", (text, status, outcome) => {
  expect(storedStatus({ status, outcome } as TaskInfo)).toBe(text);
});

test.each(table.dollars)("a cost is written as %s", (text, cost) => {
  expect(dollars(cost)).toBe(text);
});

test.each(table.durations)("a duration is written as %s", (text, ms) => {
  expect(duration(ms)).toBe(text);
});

test.each(table.ages)("an age is written as %s", (text, passed) => {
  expect(ago(1_000_000_000, 1_000_000_000 + passed)).toBe(text);
});
