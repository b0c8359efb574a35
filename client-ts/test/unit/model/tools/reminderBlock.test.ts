import { expect, test, vi } from "vitest";

import type { Take } from "../../../../src/model/reminders/reminders.js";
import { tools as words } from "../../../../src/model/text/strings.js";
import { reminderBlock } from "../../../../src/model/tools/reminderBlock.js";

const SHORTEST = 300;
const HEAD = words.reminder.length + 2;
const count = (text: string) => Promise.resolve(text.length);

/** Reminders of 10,000 characters that can be shortened, but not below 300. */
const take = (maxChars = 10_000) =>
  Promise.resolve({
    text: "x".repeat(Math.max(SHORTEST, maxChars)),
    taskIds: ["a"],
    deliveryId: `of ${maxChars}`,
  });

test("a reminder without a budget is whole", async () => {
  const block = await reminderBlock(take, Number.POSITIVE_INFINITY, count);
  expect(block?.size).toBe(HEAD + 10_000);
});

test("a long reminder is shortened to three quarters of the budget, and not much below", async () => {
  const block = await reminderBlock(take, 4_000, count);
  expect(block?.text).toBe(`${words.reminder}\n\n${block?.reminder.text ?? ""}`);
  expect(block?.size).toBeLessThanOrEqual(3_000);
  expect(block?.size).toBeGreaterThan(2_500);
});

test("the shortest reminder may take the whole budget", async () => {
  const block = await reminderBlock(take, HEAD + SHORTEST, count);
  expect(block?.reminder.deliveryId).toBe("of 1");
  expect(block?.size).toBe(HEAD + SHORTEST);
});

test("a budget below the shortest reminder gets none, after a bounded number of tries", async () => {
  const taken = vi.fn(take);
  expect(await reminderBlock(taken, HEAD + SHORTEST - 1, count)).toBeUndefined();
  expect(taken.mock.calls.length).toBeLessThanOrEqual(4);
});

test("a reminder that the sidecar does not give leaves the result as it is", async () => {
  const none: Take = () => Promise.reject(new Error("The sidecar has stopped."));
  expect(await reminderBlock(none, 1_000, count)).toBeUndefined();
});
