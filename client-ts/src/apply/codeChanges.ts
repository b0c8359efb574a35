import { applyPatch, parsePatch } from "diff";

import { codePlace } from "./codePlace.js";

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
}

/** How many lines around a change may differ. */
const FUZZ = 2;
const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/mu;
const NOWHERE = "/dev/null";

/** Return the changes that a code block means: those of a unified diff, or one of a part of a file. */
export function codeChanges({ text, file }: Code): readonly CodeChange[] {
  if (!HUNK.test(text)) {
    return [{ file, to: (before) => withCode(before, text) }];
  }
  const patches = parsePatch(text).filter(({ hunks }) => hunks.length > 0);
  return patches.map((patch) => ({
    file: fileOf(patch.newFileName) ?? fileOf(patch.oldFileName) ?? file,
    to: (before) => {
      const after = applyPatch(before, patch, { fuzzFactor: FUZZ });
      return after === false ? undefined : after;
    },
  }));
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
