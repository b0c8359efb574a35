import { expect, test } from "vitest";

import { fileName, fileNames, redactedText } from "../../src/commands/exporting.js";
import { storedTask } from "./tasks.js";

test.each([
  ["Mend the roof!", "mend-the-roof.md"],
  ["../../etc/passwd", "etc-passwd.md"],
  ["CON: <a|b>?", "con-a-b.md"],
  ["Крыша\u0000 ", "крыша.md"],
  ["💥", "t1.md"],
])("of the title %j a file's name is made that every system takes", (title, name) => {
  expect(fileName(storedTask("t1", { title }), "markdown")).toBe(name);
});

test("several tasks get a file each, and none takes that of another", () => {
  const tasks = ["Mend it", "mend it!", "Paint it"].map((title, at) => ({ id: `t${at}`, title }));
  const names = fileNames(tasks, "json", ["MEND-IT.json", "other.json"]);
  expect(names).toEqual(["mend-it-2.json", "mend-it-3.json", "paint-it.json"]);
});

test("what redaction replaced is said, and that it found nothing", () => {
  const redactions = [
    { kind: "homeDirectory", count: 12 },
    { kind: "token", count: 1 },
  ];
  expect(redactedText(redactions)).toBe("Replaced: home directory (12), token (1).");
  expect(redactedText([])).toBe("Redaction found nothing to replace.");
  expect(redactedText(undefined)).toBe("");
});
