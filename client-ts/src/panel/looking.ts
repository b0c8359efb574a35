import path from "node:path";

import * as vscode from "vscode";

import { showError } from "../questions/notify.js";
import type { SubagentService } from "../service/service.js";
import { isInside, showFile } from "../util/showFile.js";
import type { ToolDiffs } from "../views/toolDiffs.js";
import type { Look } from "./messages.js";
import * as strings from "../text/strings.js";

/** Show what a reader of the page wants to see, if it is theirs to see; a failure is told. */
export async function showLook(
  look: Look,
  service: SubagentService,
  diffs: ToolDiffs,
): Promise<void> {
  try {
    await show(look, service, diffs);
  } catch (error) {
    void showError(error);
  }
}

async function show(look: Look, service: SubagentService, diffs: ToolDiffs): Promise<void> {
  switch (look.type) {
    case "openFile":
      return openFile(look, service);
    case "openDiff":
      return diffs.open(look);
    case "openDefinition":
      return openDefinition(look, service);
  }
}

/** Paths of a run come from a model: only what lies in the workspace is opened. */
async function openFile(
  { taskId, path: file, line }: Extract<Look, { type: "openFile" }>,
  service: SubagentService,
): Promise<void> {
  const { task } = await service.request("asyncTasks/get", { taskId });
  const whole = path.resolve(task.workspaceDir, file);
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  if (!(await isInside(whole, folders))) {
    throw new Error(strings.runs.noFile(file));
  }
  await showFile(whole, line);
}

async function openDefinition(
  { path: file, line }: Extract<Look, { type: "openDefinition" }>,
  service: SubagentService,
): Promise<void> {
  const { items, problems } = await service.request("subagents/list", {});
  const known = [...problems.map((each) => each.path), ...items.map(({ source }) => source.path)];
  if (!known.includes(file)) {
    throw new Error(strings.definitions.gone(file));
  }
  await showFile(file, line);
}
