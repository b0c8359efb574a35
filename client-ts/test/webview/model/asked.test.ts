import { afterEach, expect, test } from "vitest";

import { setHome } from "../../../src/text/places.js";
import { ALONE, askedTexts } from "../../../webview/model/shown/asked.js";
import type { Question } from "../../../webview/model/conversation/question.js";

afterEach(() => {
  setHome("");
});

test("the folder of a command begins with ~ in the home folder, but the command is unchanged", () => {
  setHome("/home/ada");
  const asked: Question = {
    ...{ requestId: "r", ts: 0, title: "Test", options: [] },
    ...{ command: "npm test /home/ada/site", cwd: "/home/ada/site" },
  };
  const { code, notes } = askedTexts(asked, "/home/ada/other", ALONE);
  expect(code).toEqual(["npm test /home/ada/site"]);
  expect(notes.map(([, text]) => text)).toEqual(["~/site", "Test"]);
});
