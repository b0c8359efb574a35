import { homedir } from "node:os";

import * as strings from "../text/strings.js";

/** The facts for a bug report, without values of settings, which may be secret. */
export interface Diagnostics {
  readonly extension: string;
  readonly editor: string;
  readonly system: string;
  readonly remote: string;
  readonly trusted: boolean;
  readonly folders: number;
  readonly state: string;
  readonly environment: unknown;
  readonly sidecar: unknown;
  readonly health: unknown;
  /** Names of the settings that are set; their values may be private. */
  readonly settings: readonly string[];
}

/** Format diagnostics as text for a bug report; the home directory is abbreviated. */
export function diagnosticsText(facts: Diagnostics): string {
  const lines = Object.entries(facts).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return withoutHome([strings.sidecar.diagnosticsTitle, ...lines, ""].join("\n"), homedir());
}

/** Replace the home directory, which names the user, by `~`. */
export function withoutHome(text: string, home: string): string {
  return home.length < 2
    ? text
    : text.replaceAll(home, "~").replaceAll(JSON.stringify(home).slice(1, -1), "~");
}
