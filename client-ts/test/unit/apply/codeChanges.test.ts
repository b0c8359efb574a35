// What code of a message makes of a file: a diff is applied, and other code finds its place or says that it has none.
import { expect, test } from "vitest";

import { codeChanges } from "../../../src/apply/codeChanges.js";

const FILE = "import os\n\ndef one():\n    return 1\n\ndef two():\n    return 2\n";
const DIFF = `--- a/src/a.py
+++ b/src/a.py
@@ -3,2 +3,2 @@
 def one():
-    return 1
+    return 10
`;

function applied(text: string, before = FILE) {
  return codeChanges({ text }).map(({ to }) => to(before));
}

test("a unified diff names its files, and is applied where its lines are now", () => {
  expect(codeChanges({ text: DIFF }).map(({ file }) => file)).toEqual(["src/a.py"]);
  expect(applied(DIFF, `# new\n${FILE}`)).toEqual([`# new\n${FILE.replace("1", "10")}`]);
  expect(applied(DIFF, "other\n")).toEqual([undefined]);
});

test("a diff of several files changes each, and a new one is made", () => {
  const text = `${DIFF}--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1,1 @@\n+new = 1\n`;
  const changes = codeChanges({ text });
  expect(changes.map(({ file }) => file)).toEqual(["src/a.py", "src/new.py"]);
  expect(changes[1]?.to("")).toBe("new = 1\n");
});

test("a diff without names is one of the file that the text names", () => {
  const text = DIFF.split("\n").slice(2).join("\n");
  expect(codeChanges({ text, file: "b.py" }).map(({ file }) => file)).toEqual(["b.py"]);
});

test("code replaces what is between its first and its last line", () => {
  expect(applied("def one():\n    x = 1\n    return 1\n")).toEqual([
    FILE.replace("    return 1", "    x = 1\n    return 1"),
  ]);
  expect(applied("  def one():\n  x = 1\n  return 1")[0]).toContain(
    "  x = 1\n  return 1\n\ndef two",
  );
});

test("a file keeps the ends of its lines", () => {
  const text = applied("def one():\n    x = 1\n    return 1\n", FILE.replaceAll("\n", "\r\n"))[0];
  expect(text).toBe(
    FILE.replace("    return 1", "    x = 1\n    return 1").replaceAll("\n", "\r\n"),
  );
});

test.each([
  ["its first line is not there", "def three():\n    return 1\n", FILE],
  ["its last line is not there", "def one():\n    return 3\n", FILE],
  ["it is in two places", "def one():\n    return 1\n", FILE + FILE],
  [
    "its lines are far from each other",
    "def one():\n    return 1\n",
    FILE.replace("    return 1", "x\n".repeat(9) + "    return 1"),
  ],
  ["it is empty", "\n", FILE],
])("code has no place if %s", (_, code, file) => {
  expect(applied(code, file)).toEqual([undefined]);
});

test("lines that a large file has thousands of times are looked for in one pass", () => {
  const file = "}\n".repeat(300_000);
  expect(applied("}\n}\n", file)).toEqual([undefined]);
}, 5_000);

test("a new or empty file becomes the code", () => {
  expect(applied("a = 1", "")).toEqual(["a = 1\n"]);
});
