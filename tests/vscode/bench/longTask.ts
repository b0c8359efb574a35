import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A stored task of 20 MB, as Roo Code writes one. */
export const LONG_TASK = {
  id: "3d0c6b52-71aa-4f0e-9a36-5b8f2c94e1d7",
  title: "Turn every page",
  lastWords: "That was the last page.",
} as const;

/** Each turn is a thought, an edit with its diff, and a message. */
const TURNS = 6_000;
const WORDS =
  "It reads **lines**, `names` and [links](https://example.com/a) of the *whole* tree. ";
const CODE = "```python\nfor page in pages:\n    page.turn()\n```\n";

/** Store LONG_TASK under a root; returns its bytes. */
export async function storeLongTask(root: string): Promise<number> {
  const begun = Date.now() - 60_000;
  const entries = [
    { type: "say", say: "text", text: LONG_TASK.title },
    ...Array.from({ length: TURNS }, (_, turn) => entriesOf(turn)).flat(),
    { type: "say", say: "completion_result", text: LONG_TASK.lastWords },
  ].map((entry, index) => ({ ts: begun + index, ...entry }));
  const folder = join(root, "tasks", LONG_TASK.id);
  const text = JSON.stringify(entries);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ui_messages.json"), text);
  return text.length;
}

function entriesOf(turn: number): object[] {
  const path = `src/page${turn}.py`;
  const lines = Array.from({ length: 12 }, (_, line) => `+    line_${line} = turn(${turn})`);
  const diff = `--- a/${path}\n+++ b/${path}\n@@ -1,0 +1,12 @@\n${lines.join("\n")}\n`;
  const edit = JSON.stringify({ tool: "editedExistingFile", path, diff });
  return [
    { type: "say", say: "reasoning", text: WORDS.repeat(8) },
    { type: "ask", ask: "tool", text: edit },
    { type: "say", say: "text", text: `### Page ${turn}\n\n${WORDS.repeat(20)}\n\n${CODE}` },
  ];
}
