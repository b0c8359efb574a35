import path from "node:path";

import * as vscode from "vscode";

import { showError } from "../questions/notify.js";
import { applyCode } from "../apply/applyCode.js";
import type { SubagentService } from "../service/service.js";
import type { Cursor } from "./cursor.js";
import { isInside, showFile } from "../util/showFile.js";
import type { ToolDiffs } from "../review/toolDiffs.js";
import type { OpenRequest } from "./messages.js";
import * as strings from "../text/strings.js";

/** Open what the user of the page asks for, if they may see it; report a failure. */
export async function openTarget(
  request: OpenRequest,
  service: SubagentService,
  diffs: ToolDiffs,
  cursor: Cursor,
): Promise<void> {
  try {
    await show(request, service, diffs, cursor);
  } catch (error) {
    void showError(error);
  }
}

async function show(
  request: OpenRequest,
  service: SubagentService,
  diffs: ToolDiffs,
  cursor: Cursor,
): Promise<void> {
  switch (request.type) {
    case "openFile":
      return openFile(request, service);
    case "openDiff":
      return diffs.open(request);
    case "openChanges":
      return diffs.openAll(request.taskId, request.path);
    case "openDefinition":
      return openDefinition(request, service);
    case "insertCode":
      return cursor.insert(request.text);
    case "applyCode": {
      const { task } = await service.request("asyncTasks/get", { taskId: request.taskId });
      return applyCode(request, task.workspaceDir, cursor);
    }
  }
}

/** Open a file only in the workspace, because the paths of a run come from a model. */
async function openFile(
  { taskId, path: file, line }: Extract<OpenRequest, { type: "openFile" }>,
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
  { path: file, line }: Extract<OpenRequest, { type: "openDefinition" }>,
  service: SubagentService,
): Promise<void> {
  const { items, problems } = await service.request("subagents/list", {});
  const known = [...problems.map((each) => each.path), ...items.map(({ source }) => source.path)];
  if (!known.includes(file)) {
    throw new Error(strings.definitions.gone(file));
  }
  await showFile(file, line);
}
