import type { DoctorPlace, DoctorResult, DoctorRoot, Finding } from "../protocol.js";
import type { TaskRef } from "../taskRef.js";
import { commandLink, foreign, list, prose } from "../text/html.js";
import { exact } from "../l10n/format.js";
import { shortPath } from "../text/places.js";
import { common } from "../text/strings.js";
import { doctor } from "./strings.js";

/** The command behind the links to tasks; its argument is a TaskRef. */
export const OPEN_TASK = "subagentSidecar.task.view";

/** Findings whose folder is missing or contains no task. */
const NO_TASK = new Set(["indexOnly", "empty"]);
const LINE_CHARS = 2_000;
const TITLE_CHARS = 120;
/** Headings for the codes of findings; codes of a newer sidecar are shown unchanged. */
const HEADINGS: Readonly<Record<string, string>> = doctor.findings;

/** Return the tasks that the diagnosis links, each once. */
export function linkedTasks({ findings }: DoctorResult): TaskRef[] {
  const tasks = findings.map(taskOf).filter((task) => task !== undefined);
  return [...new Map(tasks.map((task) => [taskKey(task), task])).values()];
}

/** Return what tells a task from those of other roots. */
export function taskKey({ id, root }: TaskRef): string {
  return JSON.stringify([root, id]);
}

/**
 * Write the diagnosis as the HTML of a page whose links open the tasks that it names: by their titles, as far as
 * `titles` has them by their keys.
 */
export function doctorReport(
  { roots, searched, findings }: DoctorResult,
  titles: ReadonlyMap<string, string> = new Map(),
): string {
  const summary = findings.length === 0 ? doctor.noProblems : doctor.problems(findings.length);
  const parts = [`<h1>${prose(doctor.heading)}</h1>`, paragraph(summary)];
  parts.push(`<h2>${prose(doctor.checked)}</h2>`, list(roots.map(rootLine)));
  parts.push(...searchParts(roots, searched ?? []));
  for (const [code, group] of byCode(findings)) {
    const count = exact(group.length);
    parts.push(`<h2>${foreign(HEADINGS[code] ?? code, LINE_CHARS)} (${count})</h2>`);
    for (const remedy of new Set(group.map((finding) => finding.remedy))) {
      parts.push(`<p>${doctor.suggestion(foreign(remedy, LINE_CHARS))}</p>`);
    }
    parts.push(list(group.map((finding) => findingLine(finding, titles))));
  }
  return parts.join("\n");
}

function paragraph(text: string): string {
  return `<p>${prose(text)}</p>`;
}

function taskOf({ code, taskId, root }: Finding): TaskRef | undefined {
  return taskId === undefined || NO_TASK.has(code) ? undefined : { id: taskId, root };
}

function rootLine({ path, product, exists, tasks, emptyFolders, otherNames }: DoctorRoot): string {
  const empty = emptyFolders > 0 ? `, ${doctor.emptyFolders(emptyFolders)}` : "";
  const names = otherNames?.map((name) => foreign(shortPath(name), LINE_CHARS)).join(", ");
  const linked = names === undefined ? "" : `; ${doctor.alsoNamed(names)}`;
  const found = exists ? `${doctor.tasks(tasks)}${empty}${linked}` : doctor.folderMissing;
  return `${foreign(shortPath(path), LINE_CHARS)}: ${product === undefined ? "" : `${foreign(product, LINE_CHARS)}, `}${found}`;
}

/** Describe how many locations were searched, and stores found there that are not in the history. */
function searchParts(roots: readonly DoctorRoot[], searched: readonly DoctorPlace[]): string[] {
  if (searched.length === 0) {
    return [];
  }
  const found = searched.filter((place) => place.found);
  const summary = doctor.searched(searched.length, found.length);
  const listed = new Set(roots.flatMap(({ path, otherNames }) => [path, ...(otherNames ?? [])]));
  const others = found.filter(({ path }) => !listed.has(path));
  if (others.length === 0) {
    return [paragraph(summary)];
  }
  const lines = others.map(
    ({ path, why }) => `${foreign(shortPath(path), LINE_CHARS)}: ${foreign(why, LINE_CHARS)}`,
  );
  return [paragraph(`${summary} ${doctor.notInHistory}`), list(lines), paragraph(doctor.advice)];
}

function findingLine(finding: Finding, titles: ReadonlyMap<string, string>): string {
  const place = foreign(shortPath(finding.path ?? finding.root), LINE_CHARS);
  const reason = foreign(finding.message, LINE_CHARS);
  const task = taskOf(finding);
  if (task === undefined) {
    return `${place}: ${reason}`;
  }
  const title = titles.get(taskKey(task)) ?? task.id;
  const name = title === "" ? prose(common.untitled) : foreign(title, TITLE_CHARS);
  const link = commandLink(OPEN_TASK, task, name);
  return `${link}: ${reason}<br><small>${place}</small>`;
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
