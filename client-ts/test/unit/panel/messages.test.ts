import { expect, test } from "vitest";

import { readMessage } from "../../../src/panel/readMessage.js";
import { pageHtml } from "../../../src/panel/page.js";

test.each([
  { type: "ready" },
  { type: "follow", taskId: "t", afterSeq: 0 },
  { type: "launch", subagentName: "s", goalPrompt: "g", queue: false },
  {
    ...{ type: "launch", subagentName: "s", goalPrompt: "g", queue: false, also: ["o"] },
    chosen: { s: { model: "m", mode: "plan" }, o: { effort: "high", placement: "ray a=b" } },
  },
  { type: "launch", subagentName: "s", goalPrompt: "g", queue: false, files: ["/a b.png"] },
  { type: "attach" },
  { type: "noted" },
  { type: "picture", path: "/w/a.png" },
  { type: "attach", uris: ["file:///a%20b.png"], contents: [{ name: "i.png", data: "" }] },
  { type: "connectFleet" },
  { type: "tasksInView", tasks: [{ id: "t", root: "/r" }, { id: "u" }] },
  { type: "cancel", taskId: "t" },
  { type: "send", taskId: "t", text: "x" },
  { type: "resume", taskId: "t", queue: false },
  { type: "resume", taskId: "t", text: "x", queue: true },
  { type: "act", action: "showLog" },
  { type: "insertCode", text: "x" },
  { type: "act", action: "openTranscript", task: { id: "t", root: "/r" } },
])("%j is understood", (message) => {
  expect(readMessage(message)).toEqual(message);
});

test.each([
  undefined,
  null,
  "ready",
  [],
  {},
  { type: "toString" },
  { type: "follow", taskId: "t", afterSeq: -1 },
  { type: "follow", taskId: "t", afterSeq: "1" },
  { type: "tasksInView", tasks: "t" },
  { type: "follow", taskId: { $ne: "" }, afterSeq: 0 },
  { type: "launch", subagentName: "s", goalPrompt: "", queue: true },
  { type: "cancel" },
  { type: "insertCode", text: 1 },
  { type: "send", taskId: "t", text: "" },
  { type: "resume", text: "x", queue: false },
  { type: "resume", taskId: "t" },
  { type: "act", action: "workbench.action.quit" },
])("%j is not", (message) => {
  expect(readMessage(message)).toBeUndefined();
});

test("members that a message does not have are left behind", () => {
  expect(readMessage({ type: "cancel", taskId: "t", force: true })).toEqual({
    type: "cancel",
    taskId: "t",
  });
});

test("of what was chosen only texts for known choices are taken", () => {
  const launch = { type: "launch", subagentName: "s", goalPrompt: "g", queue: false };
  const chosen = { s: { model: 1, mode: "plan", path: "/x" }, o: "large" };
  expect(readMessage({ ...launch, chosen })).toEqual({
    ...launch,
    chosen: { s: { mode: "plan" }, o: {} },
  });
});

test("the page runs its own script and nothing else", () => {
  const parts = {
    cspSource: "https://own",
    scriptUri: "https://own/s.js",
    styleUri: "https://own/s.css",
  };
  const html = pageHtml({
    ...{ place: "sideBar", home: '/home/"><b>', language: "de" },
    ...parts,
    folders: [{ path: '/w/"', uri: "https://own/w" }],
    nonce: "n0nce",
  });
  expect(html).toContain('data-home="/home/&quot;&gt;&lt;b&gt;"');
  expect(html).toContain('data-folders="[{&quot;path&quot;:&quot;/w/\\&quot;&quot;,');
  expect(html).toContain("img-src https://own data:;");
  expect(html).toContain('<html lang="de">');
  expect(html).toContain("default-src 'none'");
  expect(html).toContain("script-src 'nonce-n0nce'\"");
  expect(html).not.toMatch(/unsafe-|\*|style=|<style| on\w+=/u);
  expect(html.match(/<script/gu)).toHaveLength(1);
});
