import type { DoctorPlace, DoctorResult, DoctorRoot, Finding } from "../protocol.js";
import type { TaskRef } from "../taskRef.js";
import { counted } from "../text/format.js";
import { oneLine } from "../text/words.js";

/** What stands before the id of a task that can be opened. */
export const TASK_MARK = "- task ";

/** Such findings name a folder that is gone, or that holds no task. */
const NO_TASK = new Set(["indexOnly", "empty"]);
const LINE_CHARS = 2_000;

/** Codes of findings in words; a newer sidecar's are shown as they are. */
const HEADINGS: Readonly<Record<string, string>> = {
  empty: "Empty folders",
  messagesGone: "Folders whose messages are gone",
  duplicate: "Tasks in several stores",
  missing: "A message file is missing",
  unreadable: "Files that may not be read",
  notRegular: "Not a regular file",
  tooLarge: "Files that are too large",
  recovered: "Read from a leftover of a crash",
  badUtf8: "Invalid UTF-8",
  byteOrderMark: "Byte order mark",
  padding: "Zero bytes of a power loss",
  wrapped: "Messages in a wrapper",
  cut: "Cut files",
  strayTail: "Something behind the end",
  malformed: "Messages that cannot be read",
  notMessages: "Files without messages",
  internal: "Faults of the sidecar",
  orphan: "Tasks their product does not list",
  indexOnly: "Listed tasks without a folder",
  locked: "Locked tasks",
  staleLock: "Locks that nobody holds",
  leftover: "Leftovers of a crash",
  fragment: "Leftovers that may be all there is",
  disagreement: "List entry and messages disagree",
  strangeName: "Folders that are no tasks",
  unlistable: "Folders that may not be listed",
  unsupported: "Stores that cannot be read yet",
};

/** Write the doctor's report as a document; a line that begins with TASK_MARK leads to a task. */
export function doctorReport({ roots, searched, findings }: DoctorResult): string {
  const summary =
    findings.length === 0
      ? "Nothing is wrong."
      : `${counted(findings.length, "finding")}. Nothing was changed.`;
  const parts = ["# Check of the task history", summary];
  parts.push("## Locations checked", roots.map(rootLine).join("\n"));
  parts.push(...searchLines(roots, searched ?? []));
  for (const [code, group] of byCode(findings)) {
    parts.push(`## ${HEADINGS[code] ?? code} (${group.length.toLocaleString()})`);
    for (const remedy of new Set(group.map((finding) => finding.remedy))) {
      parts.push(`What helps: ${oneLine(remedy, LINE_CHARS)}.`);
    }
    parts.push(group.map(findingLines).join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}

/** The tasks that lines of the report with TASK_MARK lead to, in their order. */
export function tasksInReport({ findings }: DoctorResult): TaskRef[] {
  return [...byCode(findings).values()].flat().flatMap((finding) => taskOf(finding) ?? []);
}

function taskOf({ code, taskId, root }: Finding): TaskRef | undefined {
  return taskId === undefined || NO_TASK.has(code) ? undefined : { id: taskId, root };
}

function rootLine({ path, product, exists, tasks, emptyFolders }: DoctorRoot): string {
  const empty =
    emptyFolders > 0 ? `, ${counted(emptyFolders, "empty folder")} that no list shows` : "";
  const found = exists ? `${counted(tasks, "task")}${empty}` : "no such folder";
  return `- ${oneLine(path, LINE_CHARS)}: ${product === undefined ? "" : `${product}, `}${found}`;
}

/** How many places were searched, and the stores found there that no list shows. */
function searchLines(roots: readonly DoctorRoot[], searched: readonly DoctorPlace[]): string[] {
  if (searched.length === 0) {
    return [];
  }
  const found = searched.filter((place) => place.found);
  const told = `Searched ${counted(searched.length, "location")}, ${found.length === 0 ? "none" : found.length.toLocaleString()} with tasks.`;
  const listed = new Set(roots.map(({ path }) => path));
  const others = found.filter(({ path }) => !listed.has(path));
  if (others.length === 0) {
    return [told];
  }
  const lines = others.map(
    ({ path, why }) => `- ${oneLine(path, LINE_CHARS)}: ${oneLine(why, LINE_CHARS)}`,
  );
  return [`${told} These are not listed; a setting names them or finds all:`, lines.join("\n")];
}

function findingLines(finding: Finding): string {
  const place = oneLine(finding.path ?? finding.root, LINE_CHARS);
  const reason = oneLine(finding.message, LINE_CHARS);
  const task = taskOf(finding);
  return task === undefined
    ? `- ${place}: ${reason}`
    : `${TASK_MARK}${task.id}: ${reason}\n  ${place}`;
}

function byCode(findings: readonly Finding[]): Map<string, Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const group = groups.get(finding.code) ?? [];
    group.push(finding);
    groups.set(finding.code, group);
  }
  return groups;
}
