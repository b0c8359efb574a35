import * as vscode from "vscode";

import * as strings from "../text/strings.js";
import type { LogLevel } from "../client/sidecarClient.js";

/** Open the log channel; `write` logs messages of the sidecar at their level. */
export function openLog(): {
  log: vscode.LogOutputChannel;
  write: (level: LogLevel, message: string) => void;
} {
  const log = vscode.window.createOutputChannel(strings.statusBar.name, { log: true });
  const write = (level: LogLevel, message: string): void => {
    const line = `sidecar: ${message}`;
    switch (level) {
      case "debug":
        log.debug(line);
        break;
      case "info":
        log.info(line);
        break;
      case "warning":
        log.warn(line);
        break;
      case "error":
        log.error(line);
    }
  };
  return { log, write };
}
