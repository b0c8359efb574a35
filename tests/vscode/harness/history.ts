import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { REPOSITORY } from "./places.ts";

/** What `run` has generated. */
const TRUTH = join(REPOSITORY, ".cache/vscode-history/truth.jsonl");

export const HISTORY_TASKS = 2_000;

/** The roots of other tools' tasks, as the setting takes them. */
export async function historyRoots(): Promise<string[]> {
  const lines = (await readFile(TRUTH, "utf8")).trim().split("\n");
  if (lines.length !== HISTORY_TASKS) {
    throw new Error(`${TRUTH} has ${lines.length} tasks; remove it and generate it again`);
  }
  const roots = lines.map((line) => (JSON.parse(line) as { root: string }).root);
  return [...new Set(roots)].map((root) => join(REPOSITORY, root));
}

/**
 * A task in the root that the extension may write: its title, and what only one message says. One of its
 * files begins with a byte order mark, which is a finding.
 */
export const OWN_TASK = {
  id: "6f1c2a34-9b7d-4e21-8c55-0d9e7a1b2c3d",
  title: "Oil the weathercock",
  words: "creaks in the north wind",
  file: "src/weathercock.py",
} as const;

/** Another one there, with a single message. */
export const SMALL_TASK = {
  id: "0b5e7c11-2f3a-4d4b-9c6d-7e8f90a1b2c3",
  title: "Grease the hinges",
} as const;

/** Store SMALL_TASK under a root. */
export async function storeSmallTask(root: string): Promise<void> {
  await storeTexts(root, SMALL_TASK.id, [SMALL_TASK.title]);
}

/**
 * Store a task under a root that says these texts within seconds; the first is its title. `end` is what its
 * last text is: only a `completion_result` completes a task.
 */
export async function storeTexts(
  root: string,
  id: string,
  texts: readonly string[],
  end: "text" | "completion_result" = "text",
): Promise<void> {
  const folder = join(root, "tasks", id);
  const begun = Date.now() - 120_000;
  const pause = 12_000 / texts.length;
  const messages = texts.map((text, at) => {
    const say = at === texts.length - 1 ? end : "text";
    return { ts: begun + Math.round(at * pause), type: "say", say, text };
  });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ui_messages.json"), JSON.stringify(messages));
}

/** Store OWN_TASK under a root, as Roo Code writes a task, with enough messages to scroll. */
export async function storeOwnTask(root: string): Promise<void> {
  const folder = join(root, "tasks", OWN_TASK.id);
  const begun = Date.now() - 60_000;
  const say = (index: number, word: string, text: string) => {
    return { ts: begun + index, type: "say", say: word, text };
  };
  const read = JSON.stringify({
    tool: "editedExistingFile",
    path: OWN_TASK.file,
    content: "",
  });
  const ui = [
    say(0, "text", OWN_TASK.title),
    ...Array.from({ length: 60 }, (_, index) => say(index + 1, "text", `Read part ${index}.`)),
    { ...say(70, "", read), type: "ask", ask: "tool", say: undefined },
    say(80, "text", `Hm: it ${OWN_TASK.words}.`),
    ...Array.from({ length: 60 }, (_, index) => say(index + 90, "text", `Oiled part ${index}.`)),
    say(200, "completion_result", "It turns again."),
  ];
  const api = [
    {
      role: "user",
      content: [{ type: "text", text: OWN_TASK.title }],
      ts: begun,
    },
  ];
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ui_messages.json"), JSON.stringify(ui));
  await writeFile(join(folder, "api_conversation_history.json"), `\uFEFF${JSON.stringify(api)}`);
}
