// The files that a run changed, as its end shows them: the numbers are those of its row.
import { render } from "lit-html";
import { expect, test } from "vitest";

import type { Changes } from "../../../src/protocol.js";
import { changeWords } from "../../../src/text/runWords.js";
import type { Event } from "../../../webview/model/events.js";
import { INITIAL } from "../../../webview/model/state.js";
import { changes } from "../../../webview/view/conversation/changes.js";

const FILES = [
  { path: "/w/a.ts", actions: ["edited" as const], additions: 8, deletions: 3 },
  { path: "/w/b.bin", actions: ["edited" as const] },
];

function head(counts: Changes | undefined): string {
  const page = document.createElement("div");
  const view = { state: INITIAL, now: 0, send: () => undefined };
  render(changes({ taskId: "t", files: FILES, texts: [], counts, folder: "/w" }, view), page);
  const button = page.querySelector(".changes-head button");
  button?.remove();
  return page.querySelector(".changes-head")?.textContent.replace(/\s+/gu, " ").trim() ?? "";
}

test.each<Changes>([
  { files: 2, additions: 8, deletions: 3 },
  { files: 2, additions: 8, deletions: 3, uncountedFiles: 1 },
  { files: 2, additions: 0, deletions: 0, uncountedFiles: 2 },
])("the end and the row say the same of %j", (counts) => {
  expect(head(counts).replace(" changed", "")).toBe(changeWords(counts));
});

test("without numbers, only the files are counted", () => {
  expect(head(undefined)).toBe("2 files changed");
});

/** What a click on each button asks for. */
function requests(texts: readonly string[], files = FILES): Event[] {
  const [page, sent] = [document.createElement("div"), [] as Event[]];
  const view = { state: INITIAL, now: 0, send: (event: Event) => sent.push(event) };
  render(changes({ taskId: "t", files, texts, counts: undefined, folder: "/w" }, view), page);
  page.querySelectorAll("button").forEach((button) => {
    button.click();
  });
  return sent;
}

test("a file whose texts are known opens as a diff, another one as it is now", () => {
  const [all, one] = [
    { type: "openChanges", taskId: "t" },
    { type: "openFile", taskId: "t", path: "/w/b.bin" },
  ];
  expect(requests(["a.ts"])).toEqual([all, { ...all, path: "/w/a.ts" }, one]);
});

test("without any texts, all changes are not offered, nor is a file that is gone or outside", () => {
  const gone = { path: "/w/c.ts", actions: ["deleted" as const] };
  const outside = { path: "/etc/hosts", actions: ["edited" as const] };
  const files = [...FILES.slice(1), gone, outside] as typeof FILES;
  expect(requests([], files)).toEqual([{ type: "openFile", taskId: "t", path: "/w/b.bin" }]);
});

/** What is listed of a number of files: their count, and the line below them. */
function listed(count: number, texts: readonly string[]): [number, string | undefined] {
  const files = Array.from({ length: count }, (_, at) => ({ ...FILES[0], path: `/w/${at}.ts` }));
  const page = document.createElement("div");
  const view = { state: INITIAL, now: 0, send: () => undefined };
  const changed = { taskId: "t", files: files as typeof FILES, texts, counts: undefined };
  render(changes({ ...changed, folder: "/w" }, view), page);
  return [page.querySelectorAll("li").length, page.querySelector(".hint")?.textContent.trim()];
}

test("a single file more is listed, and not counted", () => {
  expect(listed(13, [])).toEqual([13, undefined]);
  expect(listed(14, [])).toEqual([12, "and 2 more files"]);
});

test("the number of files that are not listed opens the changes of all", () => {
  const files = Array.from({ length: 14 }, (_, at) => ({ ...FILES[0], path: `/w/${at}.ts` }));
  const all = { type: "openChanges", taskId: "t" };
  const asked = requests(["0.ts"], files as typeof FILES);
  expect(asked.filter((event) => !("path" in event))).toEqual([all, all]);
});
