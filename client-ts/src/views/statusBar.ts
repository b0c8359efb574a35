import * as vscode from "vscode";

import { isWaiting, waitingRuns } from "../questions/questions.js";
import type { ServiceState, SubagentService } from "../service/service.js";

interface Look {
  readonly text: string;
  readonly tooltip: string;
}

/** Show how the subagents stand, and lead to the chat view or to what went wrong. */
export function showStatusBar(service: SubagentService): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("status", vscode.StatusBarAlignment.Left);
  item.name = "Subagents";
  const update = (): void => {
    const { text, tooltip } = lookOf(service.state, countLive(service));
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
  );
}

function countLive(service: SubagentService): { running: number; queued: number; asking: number } {
  const tasks = [...service.tasks.values()];
  return {
    running: tasks.filter((task) => task.status === "running").length,
    queued: tasks.filter((task) => task.status === "queued").length,
    asking: tasks.filter(isWaiting).length,
  };
}

function lookOf(state: ServiceState, count: ReturnType<typeof countLive>): Look {
  const words = state.message ?? "";
  switch (state.kind) {
    case "idle":
      return { text: "$(hubot) Subagents", tooltip: "Subagents" };
    case "settingUp":
      return { text: "$(sync~spin) Setting up subagents", tooltip: `Subagents: ${words}` };
    case "starting":
      return { text: "$(sync~spin) Subagents", tooltip: "Subagents: starting" };
    case "restarting":
      return { text: "$(sync~spin) Subagents", tooltip: `Subagents: ${words}` };
    case "failed":
      return { text: "$(error) Subagents", tooltip: `Subagents: ${words}` };
    case "untrusted":
      return {
        text: "$(shield) Subagents",
        tooltip: "Subagents: launching needs a trusted workspace",
      };
    case "running":
      return runningLook(count, words);
  }
}

function runningLook(count: ReturnType<typeof countLive>, message: string): Look {
  const { running, queued, asking } = count;
  const parts = [`${running} running`];
  if (queued > 0) {
    parts.push(`${queued} queued`);
  }
  if (asking > 0) {
    parts.push(`${asking} waiting for you`);
  }
  const icon = running > 0 ? "$(sync~spin)" : "$(hubot)";
  const bell = asking > 0 ? ` $(bell-dot) ${asking} waiting for you` : "";
  const number = running + queued > 0 ? ` ${running + queued}` : "";
  const note = message === "" ? "" : ` ${message}`;
  return {
    text: `${icon} Subagents${number}${bell}`,
    tooltip: `Subagents: ${parts.join(", ")}.${note}`,
  };
}

/** Lead to what needs a person most; of several runs that wait to the one that waits longest. */
function commandFor(service: SubagentService): vscode.Command | string {
  const waiting = waitingRuns(service).at(-1);
  if (service.state.kind === "failed") {
    return "subagentSidecar.problem.show";
  }
  return waiting === undefined
    ? "subagentSidecar.chat.focus"
    : { command: "subagentSidecar.subagent.open", title: "Show", arguments: [waiting.id] };
}
