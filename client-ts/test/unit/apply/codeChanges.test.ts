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

test.each([
  ["too few lines", "@@ -3,1 +3,1 @@"],
  ["too many lines", "@@ -3,9 +3,9 @@"],
  ["nothing", "@@ ... @@"],
  ["nothing and names a function", "@@ def one():"],
])("a diff whose header counts %s is applied by its lines", (_, header) => {
  const text = DIFF.replace("@@ -3,2 +3,2 @@", header);
  expect(applied(text)).toEqual([FILE.replace("1", "10")]);
  expect(applied(text, FILE.replaceAll("\n", "\r\n"))).toEqual([
    FILE.replace("1", "10").replaceAll("\n", "\r\n"),
  ]);
  expect(applied(text, FILE + FILE)).toEqual([undefined]);
  expect(applied(text, FILE.replace("return 1", "return 3"))).toEqual([undefined]);
});

test("wrong counts do not lead into the next hunk or file", () => {
  const wrong = DIFF.replace("@@ -3,2 +3,2 @@", "@@ -3,4 +3,5 @@");
  const second = "@@ -6,9 +6,1 @@\n def two():\n-    return 2\n+    return 20\n";
  const text = `${wrong}${second}--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,7 @@\n+new = 1\n`;
  const changes = codeChanges({ text });
  expect(changes.map(({ file }) => file)).toEqual(["src/a.py", "new.py"]);
  expect(changes[0]?.to(FILE)).toBe(FILE.replace("1", "10").replace("2", "20"));
  expect(changes.map(({ to }) => to(""))).toEqual([undefined, "new = 1\n"]);
});

test("blank lines in and after a hunk are context if its header counts them", () => {
  const hunk = "@@ -3,3 +3,3 @@\n def one():\n-    return 1\n+    return 10\n\n";
  const names = DIFF.slice(0, DIFF.indexOf("@@"));
  expect(applied(names + hunk)).toEqual([FILE.replace("1", "10")]);
  expect(applied(`${DIFF}\n\n`)).toEqual([FILE.replace("1", "10")]);
  expect(applied(`${names}${hunk.replace("3,3", "3,8")}\n\n`)).toEqual([FILE.replace("1", "10")]);
});

test("a mail's signature is not a removed line", () => {
  expect(applied(`${DIFF}-- \n2.39.0\n`)).toEqual([FILE.replace("1", "10")]);
});

test("a diff deletes a file of which nothing is left, and no other", () => {
  const text = "--- a/old.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a = 1\n-b = 2\n";
  const [change] = codeChanges({ text });
  expect(change).toMatchObject({ file: "old.py", deletes: true });
  expect(change?.to("a = 1\nb = 2\n")).toBe("");
  expect(change?.to("a = 1\nb = 2\nc = 3\n")).toBeUndefined();
  expect(change?.to("")).toBeUndefined();
});

test("an empty file is deleted too", () => {
  const text = `${DIFF}diff --git a/old.py b/old.py\ndeleted file mode 100644\nindex e69de29..0000000\n`;
  expect(codeChanges({ text })[1]).toMatchObject({ file: "old.py", deletes: true });
});

test("a diff that renames a file is refused as a whole", () => {
  const text = `${DIFF}diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n`;
  expect(() => codeChanges({ text })).toThrow("more than change lines");
});

test("code with a line that begins like a header is code", () => {
  const code = "@@ here\na = 1\n";
  expect(applied(code, "")).toEqual([code]);
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
