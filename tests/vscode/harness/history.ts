import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { REPOSITORY } from "./places.ts";

/** What `run` has generated. */
const TRUTH = join(REPOSITORY, ".cache/vscode-history/truth.jsonl");

export const HISTORY_TASKS = 2_000;

/** The roots of other tools' tasks, as the setting takes them. */
export async function historyRoots(): Promise<string[]> {
  const lines = (await readFile(TRUTH, "utf8")).trim().split("\n");
  if (lines.length !== HISTORY_TASKS) {
    throw new Error(`${TRUTH} tells of ${lines.length} tasks; remove it and generate it anew`);
  }
  const roots = lines.map((line) => (JSON.parse(line) as { root: string }).root);
  return [...new Set(roots)].map((root) => join(REPOSITORY, root));
}
