import * as vscode from "vscode";

import type { ExportFormat, Redaction, TaskInfo } from "../protocol.js";
import type { SubagentService } from "../service.js";
import { oneLine } from "../words.js";

const NAME_CHARS = 60;

interface Choice extends vscode.QuickPickItem {
  readonly format: ExportFormat;
  readonly redact: boolean;
}

const REDACTED = "Keys, passwords and home folders are replaced; the rest stays as it is";
const CHOICES: readonly Choice[] = [
  { label: "Markdown", detail: "To read", format: "markdown", redact: false },
  { label: "Markdown, Redacted", detail: REDACTED, format: "markdown", redact: true },
  { label: "JSON", detail: "To process", format: "json", redact: false },
  { label: "JSON, Redacted", detail: REDACTED, format: "json", redact: true },
];
const FILTERS: Record<ExportFormat, Record<string, string[]>> = {
  markdown: { Markdown: ["md"] },
  json: { JSON: ["json"] },
};

/** Write a stored task to a file of the user's choice. */
export async function exportTask(service: SubagentService, taskId: string): Promise<void> {
  const { task } = await service.request("tasks/get", { taskId });
  const title = `Export ${oneLine(task.title, NAME_CHARS)}`;
  const choice = await vscode.window.showQuickPick(CHOICES, { title, matchOnDetail: true });
  const target = choice && (await askTarget(task, choice.format));
  if (choice === undefined || target === undefined) {
    return;
  }
  const { format, redact } = choice;
  const options = { location: vscode.ProgressLocation.Window, title: "Exporting a task" };
  const { text, redactions } = await vscode.window.withProgress(options, () =>
    service.request("tasks/export", { taskId: task.id, format, redact }),
  );
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  await offerToOpen(target, redactions);
}

async function askTarget(task: TaskInfo, format: ExportFormat): Promise<vscode.Uri | undefined> {
  const name = fileName(task, format);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return vscode.window.showSaveDialog({
    title: "Export Task",
    filters: FILTERS[format],
    defaultUri: folder ? vscode.Uri.joinPath(folder, name) : vscode.Uri.file(name),
  });
}

/** Make a file's name of a title: no character that a system refuses, and the id where nothing is left. */
export function fileName({ id, title }: TaskInfo, format: ExportFormat): string {
  const words = oneLine(title.replace(/[^\p{L}\p{N}]+/gu, " "), NAME_CHARS).replace("…", "");
  const stem = words.trim().replace(/ /gu, "-").toLowerCase() || id;
  return `${stem}.${format === "markdown" ? "md" : "json"}`;
}

async function offerToOpen(file: vscode.Uri, redactions?: readonly Redaction[]): Promise<void> {
  const open = "Open";
  const message = `The task is in ${file.fsPath}. ${redactedText(redactions)}`.trim();
  if ((await vscode.window.showInformationMessage(message, open)) === open) {
    await vscode.window.showTextDocument(file);
  }
}

/** Say what redaction replaced; nothing where it was not asked for. */
export function redactedText(redactions: readonly Redaction[] | undefined): string {
  if (redactions === undefined) {
    return "";
  }
  const told = redactions
    .map(({ kind, count }) => `${kind.replace(/\p{Lu}/gu, " $&").toLowerCase()} (${count})`)
    .join(", ");
  return told === "" ? "Redaction found nothing to replace." : `Replaced: ${told}.`;
}
