// What an agent got with its goal is named where the goal is.
import { render } from "lit-html";
import { expect, test } from "vitest";

import { app } from "../../../webview/view/app.js";
import { reduce } from "../../../webview/model/reduce.js";
import type { Event } from "../../../webview/model/events.js";
import { INITIAL } from "../../../webview/model/state.js";
import { task } from "../samples.js";

function goalOf(attachments?: string[]): HTMLElement | null {
  const events: Event[] = [
    { type: "openRun", taskId: "t1" },
    { type: "task", task: task(attachments && { attachments }) },
  ];
  const state = events.reduce(reduce, INITIAL);
  const root = document.createElement("div");
  render(
    app({ state, now: 0, send: () => undefined }, () => undefined),
    root,
  );
  return root.querySelector<HTMLElement>(".goal");
}

test("the attachments of a goal are listed below it, images with their icon", () => {
  const goal = goalOf(["days off.md", "shot.png", "image/png"]);
  const items = [...(goal?.querySelectorAll("ul[aria-label='Attached files'] li") ?? [])];
  expect(items.map((item) => item.textContent.trim())).toEqual([
    "days off.md",
    "shot.png",
    "image/png",
  ]);
  const icons = items.map((item) => item.querySelector(".codicon")?.className);
  expect(icons.map((each) => each?.includes("file-media"))).toEqual([false, true, true]);
});

test("a goal without attachments has no list", () => {
  expect(goalOf()?.querySelector("ul")).toBeNull();
});
