import path from "node:path";

import * as vscode from "vscode";

import { isAnswering } from "../client/state.js";
import { confirm, inform, showError } from "../questions/notify.js";
import type { SidecarService } from "../service/sidecarService.js";
import { expandHome, SECTION } from "../service/settings.js";
import { isLive } from "../text/outcome.js";
import * as strings from "../text/strings.js";

/** What these commands act on. */
export interface SidecarCommandsContext {
  readonly service: SidecarService;
  readonly log: vscode.LogOutputChannel;
  /** Install the sidecar again; stops the Host with its runs. */
  readonly repair: () => Promise<void>;
  readonly cancelSetup: () => void;
  readonly diagnostics: () => Promise<string>;
}

/** The commands on the sidecar itself, by their ids. */
export function sidecarCommands(context: SidecarCommandsContext) {
  const { service, log, repair, diagnostics } = context;
  return {
    "subagentSidecar.sidecar.restart": async () => {
      if (await mayStopRuns(service)) {
        await service.restart();
      }
    },
    "subagentSidecar.environment.repair": async () => {
      if (await mayStopHost(service)) {
        await repair();
      }
    },
    "subagentSidecar.environment.cancel": context.cancelSetup,
    "subagentSidecar.environment.selectPython": selectInterpreter,
    "subagentSidecar.log.show": () => {
      log.show(true);
    },
    "subagentSidecar.diagnostics.copy": async () => {
      await vscode.env.clipboard.writeText(await diagnostics());
      void inform(strings.sidecar.diagnosticsCopied);
    },
    "subagentSidecar.problem.show": () => {
      const { message } = service.state;
      void (message === undefined ? inform(strings.sidecar.fine) : showProblem(message));
    },
  };
}

/** Whether windows share a Host, which a restart of one window's connection does not end. */
const SHARES_HOST = process.platform !== "win32";

/** Ask before stopping running subagents; true at once when a restart stops none. */
async function mayStopRuns(service: SidecarService): Promise<boolean> {
  const live = countLive(service);
  if (SHARES_HOST || live === 0 || service.state.kind !== "running") {
    return true;
  }
  const { stillRunning, restartStops, stopAndRestart } = strings.sidecar;
  return confirm(stillRunning(live), restartStops, stopAndRestart);
}

/** Ask before stopping the Host with its runs; true at once when it has none. */
async function mayStopHost(service: SidecarService): Promise<boolean> {
  const live = countLive(service);
  if (!isAnswering(service.state) || live === 0) {
    return true;
  }
  const { stillRunning, reinstallStops, stopAndReinstall } = strings.sidecar;
  return confirm(stillRunning(live), reinstallStops, stopAndReinstall);
}

function countLive(service: SidecarService): number {
  return [...service.tasks.values()].filter(isLive).length;
}

const { tryAgain, reinstall, selectPython, showLog } = strings.sidecar;
const REMEDIES: Readonly<Record<string, string>> = {
  [tryAgain]: "subagentSidecar.sidecar.restart",
  [reinstall]: "subagentSidecar.environment.repair",
  [selectPython]: "subagentSidecar.environment.selectPython",
  [showLog]: "subagentSidecar.log.show",
};

/** Show why the sidecar failed, with what may help. */
export async function showProblem(message: string): Promise<void> {
  const chosen = await showError(message, ...Object.keys(REMEDIES));
  const command = chosen === undefined ? undefined : REMEDIES[chosen];
  if (command !== undefined) {
    await vscode.commands.executeCommand(command);
  }
}

/** Let the user select an interpreter, which a sidecar that failed then starts with. */
async function selectInterpreter(): Promise<void> {
  const config = vscode.workspace.getConfiguration(SECTION);
  const present = expandHome(config.get<string>("pythonPath", "").trim());
  const chosen = await vscode.window.showOpenDialog({
    title: strings.sidecar.pythonTitle,
    openLabel: strings.sidecar.pythonLabel,
    ...(path.isAbsolute(present) && { defaultUri: vscode.Uri.file(path.dirname(present)) }),
  });
  if (chosen?.[0] !== undefined) {
    await config.update("pythonPath", chosen[0].fsPath, vscode.ConfigurationTarget.Global);
  }
}
