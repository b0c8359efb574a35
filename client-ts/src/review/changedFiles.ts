import type { Changes, FileAction, GetParams, TouchedFile } from "../protocol.js";
import type { SubagentService } from "../service/service.js";

/** Read the files that a task created, edited or deleted. Rejects as `tasks/files` does. */
export async function readChangedFiles(
  service: Pick<SubagentService, "request">,
  task: GetParams,
): Promise<TouchedFile[]> {
  const { files } = await service.request("tasks/files", task);
  return files.filter(({ actions }) => actions.some(isChange));
}

/** Return how much changed in files; undefined without any. */
export function changesIn(files: readonly TouchedFile[]): Changes | undefined {
  if (files.length === 0) {
    return undefined;
  }
  const uncountedFiles = files.filter((file) => !isCounted(file)).length;
  return {
    files: files.length,
    additions: sum(files.map(({ additions }) => additions ?? 0)),
    deletions: sum(files.map(({ deletions }) => deletions ?? 0)),
    ...(uncountedFiles === 0 ? {} : { uncountedFiles }),
  };
}

function isChange(action: FileAction): boolean {
  return action !== "read" && action !== "mentioned";
}

function isCounted({ additions, deletions }: TouchedFile): boolean {
  return additions != null || deletions != null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
