import * as vscode from "vscode";

import { confirm, inform, showError } from "../questions/notify.js";
import type { SidecarService } from "../service/sidecarService.js";
import { isLive } from "../text/taskTable.js";

/** What these commands act on. */
export interface SidecarCommandsContext {
  readonly service: SidecarService;
  readonly log: vscode.LogOutputChannel;
  readonly repair: () => Promise<void>;
  readonly cancelSetUp: () => void;
  readonly diagnostics: () => Promise<string>;
}

/** The commands on the sidecar itself, by their ids. */
export function sidecarCommands(context: SidecarCommandsContext) {
  const { service, log, repair, diagnostics } = context;
  return {
    "subagentSidecar.sidecar.restart": async () => {
      if (await mayEndRuns(service)) {
        await service.restart();
      }
    },
    "subagentSidecar.environment.repair": async () => {
      if (await mayEndRuns(service)) {
        await repair();
      }
    },
    "subagentSidecar.environment.cancel": context.cancelSetUp,
    "subagentSidecar.log.show": () => {
      log.show(true);
    },
    "subagentSidecar.diagnostics.copy": async () => {
      await vscode.env.clipboard.writeText(await diagnostics());
      void inform("The diagnostics are in the clipboard.");
    },
    "subagentSidecar.problem.show": () => {
      showProblem(service.state.message ?? "Nothing is wrong with the sidecar.");
    },
  };
}

/** Ask before running subagents are ended; true at once when there are none. */
async function mayEndRuns(service: SidecarService): Promise<boolean> {
  const live = [...service.tasks.values()].filter(isLive).length;
  if (live === 0 || service.state.kind !== "running") {
    return true;
  }
  const end = "End Them";
  const question = `${live === 1 ? "A subagent is" : `${live} subagents are`} still running.`;
  return confirm(question, "Restarting the sidecar ends them.", end);
}

const ACTIONS = {
  Repair: "subagentSidecar.environment.repair",
  Restart: "subagentSidecar.sidecar.restart",
  "Show Log": "subagentSidecar.log.show",
} as const;

/** Tell of a failure of the sidecar, with what may mend it. */
export function showProblem(message: string): void {
  const names = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
  void showError(message, ...names).then((chosen) => {
    if (chosen !== undefined) {
      return vscode.commands.executeCommand(ACTIONS[chosen]);
    }
    return undefined;
  });
}
