/** The name of the server in configuration files. */
export const SERVER_NAME = "subagent-sidecar";

/** How to start the sidecar's MCP server for a workspace. */
export interface ServerOptions {
  /** The storage, if the user has set one. */
  readonly storageRoot?: string;
  /** The folder whose runs the client sees. Absent: the folder that the client starts it in. */
  readonly workspace?: string;
  /** Whether the workspace's own definitions may run. */
  readonly isTrusted?: boolean;
}

/** Return the arguments of the sidecar for its MCP server. */
export function serverArguments({ storageRoot, workspace, isTrusted }: ServerOptions): string[] {
  return [
    "mcp",
    ...(storageRoot === undefined ? [] : ["--storage-root", storageRoot]),
    ...(workspace === undefined ? [] : ["--workspace", workspace]),
    ...(isTrusted === true ? ["--trust"] : []),
  ];
}
