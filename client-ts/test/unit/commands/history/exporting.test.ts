import { expect, test } from "vitest";

import {
  chooseExport,
  fileName,
  fileNames,
  redactedText,
} from "../../../../src/commands/history/exporting.js";
import type { ExportParams } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { shown } from "../../../vscode.js";
import { storedTask } from "../../tasks.js";

/** Export tasks as the user would who gives these answers; returns what the sidecar was asked for. */
async function exported(answers: string[], tasks: Parameters<typeof chooseExport>[1]) {
  const asked: ExportParams[] = [];
  const service = {
    request: (_: string, params: ExportParams) => {
      asked.push(params);
      return Promise.resolve({ text: "" });
    },
  } as unknown as SubagentService;
  shown.answers = answers;
  await (
    await chooseExport(service, tasks)
  )?.();
  return asked;
}

test("a task is exported from its own root, one without from wherever it is found", async () => {
  const format = { format: "markdown", redact: false };
  const inTwo = storedTask("t1", { root: "/two" });
  expect(await exported(["Markdown", "/out.md"], [inTwo])).toEqual([
    { taskId: "t1", root: "/two", ...format },
  ]);
  expect(await exported(["Markdown", "/out.md"], [{ id: "t1", title: "" }])).toEqual([
    { taskId: "t1", ...format },
  ]);
});

test("of the same task in two roots each is exported", async () => {
  const tasks = ["/one", "/two"].map((root) => storedTask("t1", { root }));
  const asked = await exported(["JSON", "/folder"], tasks);
  expect(asked.map(({ root }) => root)).toEqual(["/one", "/two"]);
});

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

test("what redaction replaced is reported, also that it found nothing", () => {
  const redactions = [
    { kind: "homeDirectory", count: 12 },
    { kind: "token", count: 1 },
  ];
  expect(redactedText(redactions)).toBe("Replaced: home directory (12), token (1).");
  expect(redactedText([])).toBe("Redaction found nothing to replace.");
  expect(redactedText(undefined)).toBe("");
});
