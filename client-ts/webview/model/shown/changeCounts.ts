import type { AsyncTask, Changes, TouchedFile } from "../../../src/protocol.js";

/** Return how much a task changed: as its run counted it, or else as its files do; undefined if nothing is known. */
export function changesOf(
  task: AsyncTask | undefined,
  files: readonly TouchedFile[] = [],
): Changes | undefined {
  return task?.changes ?? (files.length === 0 ? undefined : countIn(files));
}

function countIn(files: readonly TouchedFile[]): Changes {
  const uncountedFiles = files.filter((file) => !isCounted(file)).length;
  return {
    files: files.length,
    additions: sum(files.map(({ additions }) => additions ?? 0)),
    deletions: sum(files.map(({ deletions }) => deletions ?? 0)),
    ...(uncountedFiles === 0 ? {} : { uncountedFiles }),
  };
}

function isCounted({ additions, deletions }: TouchedFile): boolean {
  return additions != null || deletions != null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
