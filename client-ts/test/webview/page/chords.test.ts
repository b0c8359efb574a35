import { expect, test } from "vitest";

import { Chords } from "../../../webview/page/chords.js";

const chord = { key: "k", ctrlKey: true };

/** Press keys one after the other, `after` ms apart; return those that are not typed. */
function withheld(keys: readonly KeyboardEventInit[], after = 100): (string | undefined)[] {
  const chords = new Chords();
  return keys
    .map((init, at) => {
      const event = new KeyboardEvent("keydown", { ...init, cancelable: true });
      Object.defineProperty(event, "timeStamp", { value: at * after });
      chords.press(event);
      return event.defaultPrevented ? init.key : undefined;
    })
    .filter((key) => key !== undefined);
}

test("the second key of a chord is not typed, and the next one is", () => {
  expect(withheld([{ key: "a" }, chord, { key: "g" }, { key: "h" }])).toEqual(["g"]);
});

test("modifiers do not count as the second key", () => {
  const control = { key: "Control", ctrlKey: true };
  expect(withheld([control, chord, control, { key: "g", ctrlKey: true }, { key: "h" }])).toEqual([
    "g",
  ]);
});

test("a chord waits five seconds", () => {
  expect(withheld([chord, { key: "g" }], 4_900)).toEqual(["g"]);
  expect(withheld([chord, { key: "g" }], 5_100)).toEqual([]);
});

test("a chord that begins with its second key is over", () => {
  expect(withheld([chord, chord, { key: "g" }])).toEqual(["k"]);
});

test("other keys with modifiers begin none", () => {
  const others = [{ shiftKey: true }, { altKey: true }, { metaKey: true }];
  for (const more of others) {
    expect(withheld([{ ...chord, ...more }, { key: "g" }])).toEqual([]);
  }
});
