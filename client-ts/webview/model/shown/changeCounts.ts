import type { AsyncTask, Changes, TouchedFile } from "../../../src/protocol.js";
import { changesIn } from "../../../src/review/changedFiles.js";

/** Return how much a task changed: as its run counted it, or else as its files do; undefined if nothing is known. */
export function changesOf(
  task: AsyncTask | undefined,
  files: readonly TouchedFile[] = [],
): Changes | undefined {
  return task?.changes ?? changesIn(files);
}
