import * as vscode from "vscode";

import type { Installation } from "../../service/installation.js";
import type { SubagentService } from "../../service/service.js";
import { SECTION, sidecarRoots } from "../../service/settings.js";
import { mcp as words } from "../text/strings.js";
import { serverArguments } from "./definition.js";

/** The id in the manifest. */
const PROVIDER = "subagentSidecar.mcp";
/** The setting that turns the server on: the chat would list each tool twice if it were always on. */
const SETTING = "mcpServer";

/** What the server's definition depends on. */
export interface ServerSurroundings {
  readonly installation: Pick<Installation, "prepare" | "environment">;
  readonly service: Pick<SubagentService, "onDidChangeState">;
  /** The version of the extension: a new one makes the editor read the tools again. */
  readonly version: string;
}

/**
 * Offer the sidecar as an MCP server, if the user wants that for agents outside of the extension host. Nothing is set
 * up for it: it is offered once the sidecar's environment exists.
 */
export function offerMcpServer(surroundings: ServerSurroundings): vscode.Disposable {
  const changes = new vscode.EventEmitter<void>();
  const changed = (): void => {
    changes.fire();
  };
  const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
    onDidChangeMcpServerDefinitions: changes.event,
    provideMcpServerDefinitions: () => definitions(surroundings),
    resolveMcpServerDefinition: () => definitions(surroundings).then(([server]) => server),
  };
  return vscode.Disposable.from(
    changes,
    vscode.lm.registerMcpServerDefinitionProvider(PROVIDER, provider),
    vscode.workspace.onDidGrantWorkspaceTrust(changed),
    vscode.workspace.onDidChangeWorkspaceFolders(changed),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SECTION)) {
        changed();
      }
    }),
    surroundings.service.onDidChangeState(({ kind }) => {
      if (kind === "running") {
        changed(); // The environment may be new.
      }
    }),
  );
}

async function definitions({
  installation,
  version,
}: ServerSurroundings): Promise<vscode.McpStdioServerDefinition[]> {
  const config = vscode.workspace.getConfiguration(SECTION);
  const isWanted = config.get<boolean>(SETTING, false) && vscode.workspace.isTrusted;
  if (!isWanted || (await installation.environment.describe()) === undefined) {
    return [];
  }
  const command = await installation.prepare(() => undefined);
  const { storageRoot } = sidecarRoots(config);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const args = serverArguments({
    isTrusted: true,
    ...(storageRoot === undefined ? {} : { storageRoot }),
    ...(folder === undefined ? {} : { workspace: folder.fsPath }),
  });
  const parameters = ["-I", "-m", "sidecar", ...args];
  const server = new vscode.McpStdioServerDefinition(
    words.label,
    command().program,
    parameters,
    {},
    version,
  );
  if (folder !== undefined) {
    server.cwd = folder;
  }
  return [server];
}
