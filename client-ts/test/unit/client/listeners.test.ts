import { expect, test } from "vitest";

import { Listeners } from "../../../src/client/listeners.js";

test("a listener that throws is reported and stops no other", () => {
  const seen: unknown[] = [];
  const listeners = new Listeners<number>((error) => seen.push(error));
  const fault = new Error("no");
  listeners.event(() => {
    throw fault;
  });
  listeners.event((value) => seen.push(value));
  listeners.fire(1);
  expect(seen).toEqual([fault, 1]);
});

test("a disposed subscription is not called, another one of the same function is", () => {
  const seen: number[] = [];
  const listeners = new Listeners<number>(() => undefined);
  const listener = (value: number): void => void seen.push(value);
  listeners.event(listener);
  listeners.event(listener).dispose();
  listeners.fire(1);
  expect(seen).toEqual([1]);
});
