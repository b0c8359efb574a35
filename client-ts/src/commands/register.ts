import * as vscode from "vscode";

import { messageOf } from "../util/errors.js";
import { showError } from "../questions/notify.js";
import type { SubagentService } from "../service/service.js";

type Command = (...args: unknown[]) => unknown;

type Report = (id: string, error: unknown) => void;

/**
 * Return how failures of commands are logged and shown. A failure of the sidecar itself is shown once
 * for its state, not for each command that fails because of it.
 */
export function reportFailures(
  service: Pick<SubagentService, "state">,
  log: Pick<vscode.LogOutputChannel, "error">,
): Report {
  return (id, error) => {
    log.error(`${id}: ${messageOf(error)}`);
    if (service.state.kind !== "failed") {
      void showError(error);
    }
  };
}

/** Register commands so that their failures are reported. */
export function registerCommands(
  commands: Readonly<Record<string, Command>>,
  failed: Report,
): vscode.Disposable {
  const guarded = Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        await run(...args);
      } catch (error) {
        failed(id, error);
      }
    }),
  );
  return vscode.Disposable.from(...guarded);
}
