import { applyPatch, type StructuredPatch } from "diff";

/** The header of a hunk; models also write one without numbers. */
const HEADER = /^@@(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@| \.\.\. @@| @@)?(?= |$)/u;
/** The separator that git puts before the signature of a mailed patch. */
const SIGNATURE = "-- ";

/** What only a diff contains: numbers of lines, or the names of its files above a header. */
const DIFF = /^(?:@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|--- .*\r?\n\+\+\+ .*\r?\n@@(?:\s|$))/mu;

/** Whether text is a unified diff. */
export function isDiff(text: string): boolean {
  return DIFF.test(text);
}

/**
 * Return a diff whose headers count the lines of its hunks, and whether their counts were wrong. Models often count
 * wrong, and what is left over must neither be lost nor be taken for another hunk.
 */
export function recounted(text: string): { readonly text: string; readonly wasWrong: boolean } {
  const lines = text.replace(/\r?\n$/u, "").split(/\r?\n/u);
  const shown: string[] = [];
  let wasWrong = false;
  for (let at = 0; at < lines.length;) {
    const header = HEADER.exec(lines[at] ?? "");
    if (header === null) {
      shown.push(lines[at] === SIGNATURE ? "" : (lines[at] ?? ""));
      at += 1;
      continue;
    }
    const end = endOfHunk(lines, at + 1);
    const counted = withCounts(header, lines.slice(at + 1, end));
    shown.push(...counted.lines);
    wasWrong ||= counted.wasWrong;
    at = end;
  }
  return { text: `${shown.join("\n")}\n`, wasWrong };
}

/** Apply a diff by its lines only: each hunk where the file has them, in one place. Undefined if it does not fit. */
export function appliedByLines(before: string, patch: StructuredPatch): string | undefined {
  const file = before.split(/\r?\n/u);
  const hunks = patch.hunks.map((hunk) => {
    const place = onlyPlace(file, hunk.lines.filter(isOld).map(contentOf));
    return place === undefined ? undefined : { ...hunk, oldStart: place + 1 };
  });
  if (!hunks.every((hunk) => hunk !== undefined)) {
    return undefined;
  }
  const after = applyPatch(before, { ...patch, hunks });
  return after === false ? undefined : after;
}

function endOfHunk(lines: readonly string[], start: number): number {
  let end = start;
  while (end < lines.length && !isFileHeader(lines, end) && isInHunk(lines[end] ?? "")) {
    end += 1;
  }
  return end;
}

function isInHunk(line: string): boolean {
  return line !== SIGNATURE && /^(?:[-+ \\]|$)/u.test(line);
}

/** Whether the next file starts here: the line also looks like a removed one. */
function isFileHeader(lines: readonly string[], at: number): boolean {
  const [first = "", second = "", third = ""] = lines.slice(at, at + 3);
  return first.startsWith("--- ") && second.startsWith("+++ ") && HEADER.test(third);
}

/** Return a hunk with its own counts; blank lines at its end belong to it only if its header counts them. */
function withCounts(header: RegExpExecArray, all: readonly string[]) {
  const [shown, oldStart, oldLines = "1", newStart = "1", newLines = "1"] = header;
  const declared = oldStart === undefined ? "" : [oldLines, newLines].join();
  const least = all.findLastIndex((line) => line !== "") + 1;
  const ends = Array.from({ length: all.length - least + 1 }, (_, blank) => least + blank);
  const right = ends.find((end) => countsOf(all.slice(0, end)).join() === declared);
  const lines = all.slice(0, right ?? least).map((line) => (line === "" ? " " : line));
  const [old, added] = countsOf(lines);
  const start = `@@ -${oldStart ?? "1"},${old} +${newStart},${added} @@`;
  const rest = header.input.slice(shown.length);
  return { lines: [`${start}${rest}`, ...lines], wasWrong: right === undefined };
}

function countsOf(lines: readonly string[]): [old: number, added: number] {
  return [lines.filter(isOld).length, lines.filter(isNew).length];
}

function isOld(line: string): boolean {
  return !/^[+\\]/u.test(line);
}

function isNew(line: string): boolean {
  return !/^[-\\]/u.test(line);
}

function contentOf(line: string): string {
  return line.slice(1);
}

/** Return where a file has lines; undefined if it lacks them or has them in several places. */
function onlyPlace(file: readonly string[], lines: readonly string[]): number | undefined {
  if (lines.length === 0) {
    return file.join("") === "" ? 0 : undefined;
  }
  const [first] = lines;
  const places = file.flatMap((line, at) =>
    line === first && lines.every((each, after) => file[at + after] === each) ? [at] : [],
  );
  return places.length === 1 ? places[0] : undefined;
}
