import { expect, test } from "vitest";

import { fileName, redactedText } from "../../src/commands/exporting.js";
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

test("what redaction replaced is said, and that it found nothing", () => {
  const redactions = [
    { kind: "homeDirectory", count: 12 },
    { kind: "token", count: 1 },
  ];
  expect(redactedText(redactions)).toBe("Replaced: home directory (12), token (1).");
  expect(redactedText([])).toBe("Redaction found nothing to replace.");
  expect(redactedText(undefined)).toBe("");
});
