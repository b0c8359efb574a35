import * as vscode from "vscode";

import { definitionCommands } from "./commands/definitions/definitions.js";
import { historyCommands } from "./commands/history/history.js";
import { questionCommands } from "./commands/runs/questions.js";
import { registerCommands } from "./commands/register.js";
import { showProblem, sidecarCommands } from "./commands/sidecar.js";
import { messagingCommands } from "./commands/runs/messaging.js";
import { stoppingCommands } from "./commands/runs/stopping.js";
import { subagentCommands } from "./commands/runs/subagents.js";
import { collectDiagnostics } from "./service/diagnosticsFacts.js";
import { ExampleSetting } from "./service/exampleSetting.js";
import { Installation } from "./service/installation.js";
import { openLog } from "./service/log.js";
import type { SubagentSidecarApi } from "./model/api/types.js";
import { addToMcpFile } from "./model/mcp/mcpCommand.js";
import { ModelSide } from "./model/modelSide.js";
import { Outbox } from "./service/outbox.js";
import { CHAT_VIEW, ChatPanel } from "./panel/chatPanel.js";
import { openTarget } from "./panel/openTarget.js";
import { SECTION, sidecarRoots, sidecarSettings } from "./service/settings.js";
import { SidecarService } from "./service/sidecarService.js";
import { followSettings } from "./views/settingsChanges.js";
import { notifyEnds } from "./views/endNotices.js";
import { HistoryTree } from "./views/historyTree.js";
import { notifyQuestions } from "./views/questionNotices.js";
import { showRunsTree } from "./views/runsTree.js";
import { showStatusBar } from "./views/statusBar.js";
import { taskReports } from "./views/taskReports.js";
import { ToolDiffs } from "./panel/toolDiffs.js";
import { Transcripts } from "./views/transcript.js";
import { askAboutLastWindow } from "./windows/lastWindow.js";
import { showWindowCount } from "./windows/windowCount.js";
import { showError } from "./questions/notify.js";
import * as strings from "./text/strings.js";

let running: SidecarService | undefined;

/**
 * Connect the parts of the extension; nothing starts before a view, a command or a model needs it. Return
 * the API for other extensions.
 */
export function activate(context: vscode.ExtensionContext): SubagentSidecarApi {
  const { log, write } = openLog();
  const { version } = context.extension.packageJSON as { version: string };
  const installation = new Installation(context, log);
  const example = new ExampleSetting(context, installation);
  const settings = () =>
    sidecarSettings(vscode.workspace.getConfiguration(SECTION), example.current);
  const service: SidecarService = new SidecarService({
    prepare: (report) => installation.prepare(report),
    initialize: () => ({
      clientInfo: { name: "vscode", version: vscode.version },
      workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      workspaceTrusted: vscode.workspace.isTrusted,
      settings: settings(),
      ...sidecarRoots(vscode.workspace.getConfiguration(SECTION)),
    }),
    log: write,
    isTrusted: () => vscode.workspace.isTrusted,
    settingsRefused: (error) => void showError(error),
    turnRequested: (turn, token) => model.turns.request(turn, token),
  });
  running = service;
  const model: ModelSide = new ModelSide(service, installation, version);

  const outbox = new Outbox(context.workspaceState, service);
  const diffs = new ToolDiffs(service);
  const panel = new ChatPanel(context.extensionUri, service, outbox, vscode.commands, (request) => {
    void openTarget(request, service, diffs);
  });
  const ownRoot = () => service.info?.storageRoot;
  const history = new HistoryTree(service, (task) => task.root === ownRoot());
  const transcripts = new Transcripts(service);
  const reports = taskReports(service);
  const repair = async (): Promise<void> => {
    installation.reinstall();
    try {
      await service.restart();
    } catch (error) {
      if (installation.python !== undefined) {
        await service.restart(); // The present environment is unchanged.
      }
      throw error;
    }
  };
  const windowCount = showWindowCount(service);
  const enableExample = () => example.enable(service, settings);
  const commands = {
    ...subagentCommands({ service, panel, enableExample }),
    ...stoppingCommands({ service }),
    ...definitionCommands({ service, panel }),
    ...questionCommands({ service, panel }),
    ...messagingCommands({ service, panel, outbox }),
    ...historyCommands({ service, history, transcripts, reports, ownRoot }),
    ...sidecarCommands({
      service,
      log,
      repair,
      cancelSetup: () => {
        installation.cancel();
      },
      diagnostics: () => collectDiagnostics(context, service, installation),
    }),
    "subagentSidecar.mcp.addToFile": () => addToMcpFile(installation),
  };
  context.subscriptions.push(
    log,
    service,
    model,
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, panel),
    panel,
    windowCount,
    showRunsTree(service, panel, windowCount),
    history,
    transcripts,
    reports,
    diffs,
    showStatusBar(service),
    notifyQuestions(service, panel),
    notifyEnds(service, panel, (task) => model.notifiesOf(task)),
    askAboutLastWindow(service, context.globalState),
    registerCommands(commands, service, log),
    followSettings(service, settings),
    service.onDidChangeState(({ kind, message }) => {
      log.info(`state: ${kind}${message === undefined ? "" : ` (${message})`}`);
      void vscode.commands.executeCommand("setContext", "subagentSidecar.state", kind);
      if (kind === "failed" && !panel.visible) {
        void showProblem(message ?? strings.sidecar.failed); // The panel shows it by itself.
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void service.grantTrust()),
  );
  return model.api;
}

/** Leave the sidecar before the window closes, within the time that VS Code allows; runs continue. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}
