import { lstatSync } from "node:fs";
import path from "node:path";

import { isInside } from "../util/showFile.js";

/**
 * Return the path of a file that code names, which may be new: in one of the folders only, because a model chose it.
 * Undefined if it is elsewhere, such as behind a link. A relative path starts in `start`, the folder of the run, if it
 * is known, or in one of the folders.
 */
export async function codeFile(
  file: string,
  start: string,
  folders: readonly string[],
): Promise<string | undefined> {
  const places = [start, ...folders]
    .filter((each) => each !== "")
    .map((each) => path.resolve(each, file));
  for (const place of [...places.filter(isThere), ...places]) {
    const known = existing(place);
    if (folders.includes(known) || (await isInside(known, folders))) {
      return place;
    }
  }
  return undefined;
}

/** Whether a path is taken, if only by a link that leads to nothing: saving would make a file where it leads. */
export function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Return a file, or the first folder above it that exists. */
function existing(file: string): string {
  return isThere(file) || path.dirname(file) === file ? file : existing(path.dirname(file));
}
