import type { DoctorPlace, DoctorResult, DoctorRoot, Finding } from "../protocol.js";
import type { TaskRef } from "../taskRef.js";
import { doctor } from "./strings.js";
import { oneLine } from "../text/words.js";

/** What precedes the id of a task that can be opened. */
export const TASK_MARK = "- task ";

/** Findings whose folder is missing or contains no task. */
const NO_TASK = new Set(["indexOnly", "empty"]);
const LINE_CHARS = 2_000;
/** Headings for the codes of findings; codes of a newer sidecar are shown unchanged. */
const HEADINGS: Readonly<Record<string, string>> = doctor.findings;

/** Write the diagnosis as a document; a line that starts with TASK_MARK links to a task. */
export function doctorReport({ roots, searched, findings }: DoctorResult): string {
  const summary = findings.length === 0 ? doctor.noProblems : doctor.problems(findings.length);
  const parts = [`# ${doctor.heading}`, summary];
  parts.push(`## ${doctor.checked}`, roots.map(rootLine).join("\n"));
  parts.push(...searchLines(roots, searched ?? []));
  for (const [code, group] of byCode(findings)) {
    parts.push(`## ${HEADINGS[code] ?? code} (${group.length.toLocaleString()})`);
    for (const remedy of new Set(group.map((finding) => finding.remedy))) {
      parts.push(doctor.suggestion(oneLine(remedy, LINE_CHARS)));
    }
    parts.push(group.map(findingLines).join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}

/** Return the tasks that the report links to, in order. */
export function tasksInReport({ findings }: DoctorResult): TaskRef[] {
  return [...byCode(findings).values()].flat().flatMap((finding) => taskOf(finding) ?? []);
}

function taskOf({ code, taskId, root }: Finding): TaskRef | undefined {
  return taskId === undefined || NO_TASK.has(code) ? undefined : { id: taskId, root };
}

function rootLine({ path, product, exists, tasks, emptyFolders, otherNames }: DoctorRoot): string {
  const empty = emptyFolders > 0 ? `, ${doctor.emptyFolders(emptyFolders)}` : "";
  const names = otherNames?.map((name) => oneLine(name, LINE_CHARS)).join(", ");
  const linked = names === undefined ? "" : `; ${doctor.alsoNamed(names)}`;
  const found = exists ? `${doctor.tasks(tasks)}${empty}${linked}` : doctor.folderMissing;
  return `- ${oneLine(path, LINE_CHARS)}: ${product === undefined ? "" : `${product}, `}${found}`;
}

/** Describe how many locations were searched, and stores found there that are not in the history. */
function searchLines(roots: readonly DoctorRoot[], searched: readonly DoctorPlace[]): string[] {
  if (searched.length === 0) {
    return [];
  }
  const found = searched.filter((place) => place.found);
  const summary = doctor.searched(searched.length, found.length);
  const listed = new Set(roots.flatMap(({ path, otherNames }) => [path, ...(otherNames ?? [])]));
  const others = found.filter(({ path }) => !listed.has(path));
  if (others.length === 0) {
    return [summary];
  }
  const lines = others.map(
    ({ path, why }) => `- ${oneLine(path, LINE_CHARS)}: ${oneLine(why, LINE_CHARS)}`,
  );
  return [`${summary} ${doctor.notInHistory}`, lines.join("\n"), doctor.advice];
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
