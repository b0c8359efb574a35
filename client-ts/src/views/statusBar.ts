import * as vscode from "vscode";

import { isWaiting, waitingRuns } from "../questions/questions.js";
import type { DueDeletion } from "../protocol.js";
import type { ServiceState, SubagentService } from "../service/service.js";
import * as strings from "../text/strings.js";
import type { DueDeletions } from "./dueDeletions.js";

interface Content {
  readonly text: string;
  readonly tooltip: string;
}

/** Show how many subagents run; a click opens the chat view or the problem. */
export function showStatusBar(
  service: SubagentService,
  deletions: Pick<DueDeletions, "due" | "onDidChange">,
): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("status", vscode.StatusBarAlignment.Left);
  item.name = strings.statusBar.name;
  const update = (): void => {
    const { text, tooltip } = contentFor(
      service.state,
      countLive(service),
      deletionNote(deletions.due),
    );
    item.text = text;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: tooltip, role: "button" };
    item.command = commandFor(service);
  };
  update();
  item.show();
  return vscode.Disposable.from(
    item,
    service.onDidChangeState(update),
    service.onDidChangeTask(update),
    deletions.onDidChange(update),
  );
}

function deletionNote(due: DueDeletion | undefined): string {
  return due === undefined ? "" : strings.deletions.due(due.tasks, due.withinDays);
}

/** Count as the list does: a run that waits for an answer does not run. */
function countLive(service: SubagentService): { running: number; queued: number; asking: number } {
  const tasks = [...service.tasks.values()];
  return {
    running: tasks.filter((task) => task.status === "running" && !isWaiting(task)).length,
    queued: tasks.filter((task) => task.status === "queued").length,
    asking: tasks.filter(isWaiting).length,
  };
}

function contentFor(
  state: ServiceState,
  count: ReturnType<typeof countLive>,
  deletions: string,
): Content {
  const { message = "" } = state;
  const { name, with: prefixed } = strings.statusBar;
  switch (state.kind) {
    case "idle":
      return { text: `$(hubot) ${name}`, tooltip: name };
    case "settingUp":
      return { text: `$(sync) ${strings.statusBar.settingUp}`, tooltip: prefixed(message) };
    case "starting":
      return { text: `$(sync) ${name}`, tooltip: prefixed(strings.statusBar.starting) };
    case "restarting":
      return { text: `$(sync) ${name}`, tooltip: prefixed(message) };
    case "failed":
      return { text: `$(error) ${name}`, tooltip: prefixed(message) };
    case "untrusted":
      return { text: `$(shield) ${name}`, tooltip: prefixed(strings.statusBar.restricted) };
    case "running":
      return runningContent(count, [message, deletions]);
  }
}

function runningContent(count: ReturnType<typeof countLive>, notes: readonly string[]): Content {
  const { running, queued, asking } = count;
  const { name, with: prefixed, waiting } = strings.statusBar;
  const others = [
    ...(queued > 0 ? [strings.statusBar.queued(queued)] : []),
    ...(asking > 0 ? [waiting(asking)] : []),
  ];
  const icon = asking > 0 ? "$(bell-dot)" : running > 0 ? "$(sync)" : "$(hubot)";
  const parts = [strings.statusBar.running(running), ...others];
  const shown = running > 0 ? parts : others.length > 0 ? others : [name];
  const note = notes.map((each) => (each === "" ? "" : ` ${each}`)).join("");
  return {
    text: `${icon} ${shown.join(" · ")}`,
    tooltip: `${prefixed(parts.join(", "))}.${note}`,
  };
}

/** Open what needs the user most: a problem, or the question that has been waiting longest. */
function commandFor(service: SubagentService): vscode.Command | string {
  const waiting = waitingRuns(service).at(-1);
  if (service.state.kind === "failed") {
    return "subagentSidecar.problem.show";
  }
  return waiting === undefined
    ? "subagentSidecar.chat.focus"
    : {
        command: "subagentSidecar.subagent.open",
        title: strings.common.show,
        arguments: [waiting.id],
      };
}
