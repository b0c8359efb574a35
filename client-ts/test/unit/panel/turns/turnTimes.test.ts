// A time of day leads to the turn that began last before it.
import { expect, test } from "vitest";

import { turnsAt } from "../../../../src/panel/turns/turnTimes.js";

function turn(seq: number, ts: number) {
  return { seq, ts, kind: "plain" as const, text: `turn ${seq}` };
}

function at(day: number, hours: number, minutes: number, seconds = 0): number {
  return new Date(2026, 10, day, hours, minutes, seconds).getTime();
}

const ONE_DAY = [turn(1, at(5, 9, 58)), turn(7, at(5, 14, 5, 20)), turn(12, at(5, 14, 40))];

test.each([
  ["14:05:20", [7]],
  ["14:05:19", [1]],
  ["14:05", [1]],
  ["2:06 pm", [7]],
  ["2.06p", [7]],
  ["12:30 am", [1]],
  ["23:59", [12]],
  ["08:00", [1]],
  ["24:00", []],
  ["14:60", []],
  ["turn", []],
  ["", []],
])("at %s", (text, expected) => {
  expect(turnsAt(ONE_DAY, text).map(({ seq }) => seq)).toEqual(expected);
});

test("a conversation of several days has a turn for each of them", () => {
  const turns = [...ONE_DAY, turn(20, at(6, 14, 1)), turn(30, at(6, 15, 0))];
  expect(turnsAt(turns, "14:06").map(({ seq }) => seq)).toEqual([7, 20]);
});

test("turns of unknown time are left out", () => {
  expect(turnsAt([turn(1, 0), turn(2, at(5, 9, 0))], "8:00").map(({ seq }) => seq)).toEqual([2]);
  expect(turnsAt([turn(1, 0)], "8:00")).toEqual([]);
});
