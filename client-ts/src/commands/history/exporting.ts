import * as vscode from "vscode";

import { showQuickPick } from "../../questions/quickInput.js";
import { refusalWords } from "../../refusals/refusalWords.js";
import { inform, warn } from "../../questions/notify.js";
import type { ExportFormat, Redaction } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { mapConcurrent } from "../../util/mapConcurrent.js";
import { taskParams } from "../../taskRef.js";
import { oneLine, withoutIcons } from "../../text/words.js";
import { nameOf, type NamedTask } from "../arguments.js";
import { type FailedTask, failureText } from "./failedTasks.js";
import { shortPath } from "../../text/places.js";
import * as strings from "../../text/strings.js";

const NAME_CHARS = 60;
/** How many tasks are exported at the same time: each is held in memory whole. */
const AT_ONCE = 4;

interface Choice extends vscode.QuickPickItem {
  readonly format: ExportFormat;
  readonly redact: boolean;
}

const CHOICES: readonly Choice[] = [
  ...choicesOf(strings.exporting.markdown, "markdown", strings.exporting.readable),
  ...choicesOf("JSON", "json", strings.exporting.processable),
];
const FILTERS: Record<ExportFormat, Record<string, string[]>> = {
  markdown: { [strings.exporting.markdown]: ["md"] },
  json: { JSON: ["json"] },
};

function choicesOf(label: string, format: ExportFormat, purpose: string): readonly Choice[] {
  const { redacted, redactedName } = strings.exporting;
  return [
    { label, detail: purpose, format, redact: false },
    { label: redactedName(label), detail: redacted, format, redact: true },
  ];
}

/** Writes what was chosen, and offers to open it. */
type Export = () => Promise<void>;

/** Let the user choose files for stored tasks: one for one, a folder for several; undefined if they cancel. */
export async function chooseExport(
  service: SubagentService,
  tasks: readonly NamedTask[],
): Promise<Export | undefined> {
  const [first, ...more] = tasks;
  if (first === undefined) {
    return undefined;
  }
  const title = strings.exporting.title(nameOf(tasks));
  // The page takes the focus back when its menu closes, which must not close the pick.
  const options = { title, matchOnDetail: true, ignoreFocusOut: true };
  const choice = await showQuickPick(CHOICES, options);
  if (choice === undefined) {
    return undefined;
  }
  if (more.length === 0) {
    const target = await askTarget(first, choice.format);
    return target && (() => exportOne(service, first, choice, target));
  }
  const folder = await askFolder();
  return folder && (() => exportMany(service, tasks, choice, folder));
}

async function exportOne(
  service: SubagentService,
  task: NamedTask,
  choice: Choice,
  target: vscode.Uri,
): Promise<void> {
  const redactions = await withProgress(strings.exporting.busy(nameOf([task])), () =>
    write(service, task, choice, target),
  );
  await offerToOpen(task, target, redactions);
}

async function exportMany(
  service: SubagentService,
  tasks: readonly NamedTask[],
  choice: Choice,
  folder: vscode.Uri,
): Promise<void> {
  const taken = (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name);
  const names = fileNames(tasks, choice.format, taken);
  const files = tasks.map((task, at) => ({ task, name: names[at] ?? task.id }));
  const outcomes = await withProgress(strings.exporting.busy(nameOf(tasks)), () =>
    mapConcurrent(files, AT_ONCE, ({ task, name }) =>
      write(service, task, choice, vscode.Uri.joinPath(folder, name)),
    ),
  );
  const left = outcomes.flatMap((outcome, at): FailedTask[] => {
    const task = tasks[at];
    return task === undefined || outcome.status === "fulfilled"
      ? []
      : [{ task, reason: refusalWords(outcome.reason) }];
  });
  const written = outcomes.flatMap((outcome) =>
    outcome.status === "fulfilled" ? [outcome.value] : [],
  );
  report(written.length, folder, redactedText(sumOf(written)), left);
}

/** Report an export once for all of its tasks. Throws when nothing was written. */
function report(
  written: number,
  folder: vscode.Uri,
  redacted: string,
  left: readonly FailedTask[],
): void {
  if (written === 0) {
    throw new Error(strings.exporting.nothing(failureText(left)));
  }
  const done = strings.exporting.done(strings.common.tasks(written), shortPath(folder.fsPath));
  if (left.length === 0) {
    void inform(`${done} ${redacted}`.trim());
  } else {
    const failed = strings.exporting.failed(failureText(left));
    void warn([done, redacted, failed].filter(Boolean).join(" "));
  }
}

/** Export one task; returns what redaction replaced, undefined if it was not requested. */
async function write(
  service: SubagentService,
  task: NamedTask,
  { format, redact }: Choice,
  target: vscode.Uri,
): Promise<readonly Redaction[] | undefined> {
  const params = { ...taskParams(task), format, redact };
  const { text, redactions } = await service.request("tasks/export", params);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  return redactions;
}

function withProgress<T>(title: string, work: () => Promise<T>): Thenable<T> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: withoutIcons(title) },
    work,
  );
}

async function askTarget(task: NamedTask, format: ExportFormat): Promise<vscode.Uri | undefined> {
  const name = fileName(task, format);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return vscode.window.showSaveDialog({
    title: strings.exporting.saveTitle,
    filters: FILTERS[format],
    defaultUri: folder ? vscode.Uri.joinPath(folder, name) : vscode.Uri.file(name),
  });
}

async function askFolder(): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showOpenDialog({
    title: strings.exporting.folderTitle,
    openLabel: strings.exporting.here,
    canSelectFiles: false,
    canSelectFolders: true,
    ...(folder === undefined ? {} : { defaultUri: folder }),
  });
  return chosen?.[0];
}

/** Turn a title into a file name without characters that a system refuses; fall back to the id. */
export function fileName({ id, title }: NamedTask, format: ExportFormat): string {
  const words = oneLine(title.replace(/[^\p{L}\p{N}]+/gu, " "), NAME_CHARS).replace("…", "");
  const stem = words.trim().replace(/ /gu, "-").toLowerCase() || id;
  return `${stem}.${format === "markdown" ? "md" : "json"}`;
}

/** Name a file for each task; append a number to names that are taken. */
export function fileNames(
  tasks: readonly NamedTask[],
  format: ExportFormat,
  taken: readonly string[],
): string[] {
  const used = new Set(taken.map((name) => name.toLowerCase()));
  return tasks.map((task) => {
    const wanted = fileName(task, format);
    const [, stem = "", ending = ""] = /^(.*)(\.\w+)$/u.exec(wanted) ?? [];
    let name = wanted;
    for (let number = 2; used.has(name); number += 1) {
      name = `${stem}-${number}${ending}`;
    }
    used.add(name);
    return name;
  });
}

async function offerToOpen(
  task: NamedTask,
  file: vscode.Uri,
  redactions?: readonly Redaction[],
): Promise<void> {
  const { open, done } = strings.exporting;
  const message =
    `${done(nameOf([task]), shortPath(file.fsPath))} ${redactedText(redactions)}`.trim();
  if ((await inform(message, open)) === open) {
    await vscode.window.showTextDocument(file);
  }
}

/** Describe what redaction replaced; "" if it was not requested. */
export function redactedText(redactions: readonly Redaction[] | undefined): string {
  if (redactions === undefined) {
    return "";
  }
  const kinds = redactions
    .map(({ kind, count }) => `${kind.replace(/\p{Lu}/gu, " $&").toLowerCase()} (${count})`)
    .join(", ");
  return kinds === "" ? strings.exporting.nothingRedacted : strings.exporting.replaced(kinds);
}

/** Add up what was replaced in several tasks; undefined if redaction was not requested. */
function sumOf(each: readonly (readonly Redaction[] | undefined)[]): Redaction[] | undefined {
  const all = each.filter((redactions) => redactions !== undefined);
  const counts = new Map<Redaction["kind"], number>();
  for (const { kind, count } of all.flat()) {
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return all.length === 0 ? undefined : [...counts].map(([kind, count]) => ({ kind, count }));
}
