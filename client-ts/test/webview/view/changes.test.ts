// The files that a run changed, as its end shows them: the numbers are those of its row.
import { render } from "lit-html";
import { expect, test } from "vitest";

import type { Changes } from "../../../src/protocol.js";
import { changeWords } from "../../../src/text/runWords.js";
import { INITIAL } from "../../../webview/model/state.js";
import { changes } from "../../../webview/view/conversation/changes.js";

const FILES = [
  { path: "/w/a.ts", actions: ["edited" as const], additions: 8, deletions: 3 },
  { path: "/w/b.bin", actions: ["edited" as const] },
];

function head(counts: Changes | undefined): string {
  const page = document.createElement("div");
  const view = { state: INITIAL, now: 0, send: () => undefined };
  render(changes({ taskId: "t", files: FILES, counts, folder: "/w" }, view), page);
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
