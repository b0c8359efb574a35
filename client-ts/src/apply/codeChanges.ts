import { applyPatch, parsePatch, type StructuredPatch } from "diff";

import { codePlace } from "./codePlace.js";
import { appliedByLines, isDiff, recounted } from "./hunks.js";

/** A code block, and the file that it or the text before it names. */
export interface Code {
  readonly text: string;
  readonly file?: string;
}

/** What a code block makes of a file; `text` is undefined if it does not fit. */
export interface CodeChange {
  /** As the block names it; undefined if it names none. */
  readonly file: string | undefined;
  readonly to: (before: string) => string | undefined;
  readonly isDiff?: true;
  /** Whether the file is deleted if nothing is left of it. */
  readonly deletes?: true;
}

/** How many lines around a change may differ. */
const FUZZ = 2;
const NOWHERE = "/dev/null";

/**
 * Return the changes that a code block means: those of a unified diff, or one of a part of a file. Throws if a diff
 * cannot be read, or does more than change, make and delete files of lines.
 */
export function codeChanges({ text, file }: Code): readonly CodeChange[] {
  if (!isDiff(text)) {
    return [{ file, to: (before) => withCode(before, text) }];
  }
  const counted = recounted(text);
  const patches = parsePatch(counted.text);
  if (patches.some(({ isRename, isCopy, isBinary }) => isRename ?? isCopy ?? isBinary)) {
    throw new Error("The diff does more than change lines.");
  }
  return patches
    .filter((patch) => patch.hunks.length > 0 || deletes(patch))
    .map((patch) => ({
      file: fileOf(patch.newFileName) ?? fileOf(patch.oldFileName) ?? file,
      isDiff: true,
      to: (before) => withPatch(before, patch, counted.wasWrong),
      ...(deletes(patch) ? { deletes: true } : {}),
    }));
}

function deletes({ newFileName, isDelete }: StructuredPatch): boolean {
  return newFileName === NOWHERE || isDelete === true;
}

/** Return a file with the changes of a diff; where to, is only as sure as the counts of its headers. */
function withPatch(before: string, patch: StructuredPatch, byLines: boolean): string | undefined {
  const after = byLines
    ? appliedByLines(before, patch)
    : applyPatch(before, patch, { fuzzFactor: FUZZ });
  const fits = after !== false && after !== undefined && (!deletes(patch) || after.trim() === "");
  return fits ? after : undefined;
}

/** Return the name of a file in a diff without the prefix that git adds. */
function fileOf(name: string | undefined): string | undefined {
  return name === undefined || name === NOWHERE || name === ""
    ? undefined
    : name.replace(/^[ab]\//u, "");
}

/** Return a file with code in place of what it replaces; a new file is the code. */
function withCode(before: string, code: string): string | undefined {
  const text = code.endsWith("\n") ? code : `${code}\n`;
  if (before.trim() === "") {
    return text;
  }
  const end = before.includes("\r\n") ? "\r\n" : "\n";
  const lines = before.split(/\r?\n/u);
  const added = text.replace(/\n$/u, "").split(/\r?\n/u);
  const place = codePlace(lines, added);
  return (
    place && [...lines.slice(0, place.first), ...added, ...lines.slice(place.last + 1)].join(end)
  );
}
