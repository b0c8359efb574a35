import "./l10n/editorLanguage.js";

import { homedir } from "node:os";
import path from "node:path";

import * as vscode from "vscode";

import { AGENTS_VIEW, AgentsView } from "./agents/agentsView.js";
import { Attaching } from "./agents/attaching.js";
import { showBadge } from "./agents/badge.js";
import { ConversationEditors } from "./agents/conversationEditors.js";
import { Conversations } from "./agents/conversations.js";
import { LineCounts } from "./agents/lineCounts.js";
import { HistoryList, historyView } from "./agents/historyList.js";
import { ListChoice } from "./agents/listOptions.js";
import { ChangeComments } from "./comments/changeComments.js";
import { commentingCommands } from "./commands/commenting.js";
import { conversationCommands } from "./commands/conversation.js";
import { definitionCommands } from "./commands/definitions/definitions.js";
import { useAgentCommands } from "./commands/definitions/useAgent.js";
import { markingCommands } from "./commands/history/marking.js";
import { historyCommands } from "./commands/history/history.js";
import { listCommands } from "./commands/list.js";
import { questionCommands } from "./commands/runs/questions.js";
import { registerCommands, reportFailures } from "./commands/register.js";
import { returningToList } from "./commands/rowMenu.js";
import { selectionCommands } from "./commands/selection.js";
import { showProblem, sidecarCommands } from "./commands/sidecar.js";
import { walkthroughCommands } from "./commands/walkthrough.js";
import { messagingCommands } from "./commands/runs/messaging.js";
import { signInCommands } from "./commands/runs/signingIn.js";
import { stoppingCommands } from "./commands/runs/stopping.js";
import { reviewingCommands } from "./commands/runs/reviewing.js";
import { subagentCommands } from "./commands/runs/subagents.js";
import { collectDiagnostics } from "./service/diagnosticsFacts.js";
import { ExampleSetting } from "./service/exampleSetting.js";
import { Installation } from "./service/installation.js";
import { openLog } from "./service/log.js";
import type { SubagentSidecarApi } from "./model/api/types.js";
import { addToMcpFile } from "./model/mcp/mcpCommand.js";
import { ModelSide } from "./model/modelSide.js";
import { MarkStore } from "./marks/markStore.js";
import { taggedService } from "./marks/taggedService.js";
import { Outbox } from "./service/outbox.js";
import type { OpenRequest } from "./panel/messages.js";
import { FleetFeed } from "./offers/fleetFeed.js";
import { OfferFeed } from "./offers/offerFeed.js";
import { openTarget } from "./panel/openTarget.js";
import { SECTION, sidecarRoots, sidecarSettings } from "./service/settings.js";
import { SidecarService } from "./service/sidecarService.js";
import { discoverStores } from "./views/discovery.js";
import { DueDeletions } from "./views/dueDeletions.js";
import { followSettings } from "./views/settingsChanges.js";
import { Companion } from "./notices/companion.js";
import { notifyEnds } from "./notices/endNotices.js";
import { notifyQuestions } from "./notices/questionNotices.js";
import { Notices } from "./notices/notices.js";
import { SystemNotices } from "./notices/systemNotices.js";
import { showStatusBar } from "./views/statusBar.js";
import { totalsPage } from "./views/totalsPage.js";
import { diagnosisPage } from "./views/diagnosisPage.js";
import { taskReports } from "./views/taskReports.js";
import { ToolDiffs } from "./review/toolDiffs.js";
import { Transcripts } from "./views/transcript.js";
import { StoredConversations } from "./stored/storedConversations.js";
import { storedRef } from "./storedRef.js";
import { inOwnRoot } from "./taskRef.js";
import { askAboutLastWindow } from "./windows/lastWindow.js";
import { showWindowCount } from "./windows/windowCount.js";
import { Cursor } from "./panel/cursor.js";
import { showError } from "./questions/notify.js";
import { setHome } from "./text/places.js";
import * as strings from "./text/strings.js";

let running: SidecarService | undefined;

/**
 * Connect the parts of the extension; nothing starts before a view, a command or a model needs it. Return
 * the API for other extensions.
 */
export function activate(context: vscode.ExtensionContext): SubagentSidecarApi {
  setHome(homedir());
  const { log, write } = openLog();
  const { version } = context.extension.packageJSON as { version: string };
  const installation = new Installation(context, log, () => service.disconnect());
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

  const marks = new MarkStore(context.globalStorageUri.fsPath);
  void marks.load().catch(showError);
  const tagged = taggedService(service, marks);
  const outbox = new Outbox(context.workspaceState, service);
  const conversations = new StoredConversations(service);
  const all = conversations.service;
  const diffs = new ToolDiffs(all);
  const comments = new ChangeComments(diffs, context.workspaceState);
  const cursor = new Cursor();
  const pages = {
    ...{
      extensionUri: context.extensionUri,
      service: all,
      outbox,
      commands: vscode.commands,
      marks,
      attaching: new Attaching(path.join(context.globalStorageUri.fsPath, "attachments")),
    },
    open: (request: OpenRequest) => void openTarget(request, all, diffs, cursor),
    titleOf: (taskId: string) => {
      const ref = storedRef(taskId) ?? { id: taskId };
      const { title } = marks.of(inOwnRoot(ref, service));
      return title ?? service.tasks.get(taskId)?.goalPrompt ?? history.titleOf(ref);
    },
  };
  const list = new ListChoice(context.workspaceState);
  const history = new HistoryList(tagged, list, marks);
  const lines = new LineCounts(service, (refs) => history.tasksOf(refs));
  const offers = new OfferFeed(service);
  const fleet = new FleetFeed(service, (isConfigured) => {
    void vscode.commands.executeCommand("setContext", "subagentSidecar.fleet", isConfigured);
  });
  const deletions = new DueDeletions(service, context.globalState);
  const editors = new ConversationEditors(pages);
  const agents = new AgentsView(pages, history, lines, offers, fleet, deletions, editors);
  const panel = new Conversations(agents, editors);
  const companion = new Companion(context.extensionUri, context.globalState);
  const system = new SystemNotices(
    (line) => {
      log.info(line);
    },
    (title, text) => companion.show(title, text),
  );
  const notices = new Notices(panel, system);
  const ownRoot = () => service.info?.storageRoot;
  const transcripts = new Transcripts(service);
  const reports = taskReports(tagged, fleet);
  const { extensionUri, workspaceState } = context;
  const diagnosis = diagnosisPage(extensionUri, service, workspaceState);
  const shownHistory = historyView(list, history);
  const totals = totalsPage(extensionUri, tagged, () => shownHistory.filter, workspaceState);
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
  const failed = reportFailures(service, log);
  const windowCount = showWindowCount(service);
  const enableExample = () => example.enable(service, settings);
  const commands = {
    ...subagentCommands({ service, panel, enableExample }),
    ...stoppingCommands({ service }),
    ...signInCommands({ service }),
    ...definitionCommands({ service, panel }),
    ...useAgentCommands({ service, panel }),
    ...questionCommands({ service, panel }),
    ...messagingCommands({ service, panel, outbox }),
    ...markingCommands({ service: tagged, marks, front: () => panel.taskId }),
    ...historyCommands({
      service: tagged,
      history: shownHistory,
      transcripts,
      reports,
      diagnosis,
      totals,
      ownRoot,
      failed,
    }),
    ...listCommands(service, list, panel),
    ...conversationCommands(panel),
    ...reviewingCommands({ service, panel, diffs }),
    ...commentingCommands({ comments, panel }),
    ...walkthroughCommands(vscode.commands),
    ...selectionCommands(panel),
    ...sidecarCommands({
      service,
      log,
      repair,
      cancelSetup: () => {
        installation.cancel();
      },
      diagnostics: () => collectDiagnostics(context, service, installation),
    }),
    "subagentSidecar.fleet.status": () => reports.showRendered(strings.reports.fleet),
    "subagentSidecar.history.keepCopies": () => deletions.keep(),
    "subagentSidecar.history.hideDeletions": () => deletions.dismiss(),
    "subagentSidecar.notifier.install": () => companion.install(),
    "subagentSidecar.mcp.addToFile": () => addToMcpFile(installation),
  };
  context.subscriptions.push(
    conversations,
    log,
    service,
    model,
    vscode.window.registerWebviewViewProvider(AGENTS_VIEW, agents),
    agents,
    offers,
    fleet,
    editors,
    windowCount,
    showBadge(service, agents),
    list,
    history,
    marks,
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) {
        void marks.load().catch(showError); // Another window may have changed them.
      }
    }),
    transcripts,
    reports,
    diagnosis,
    totals.page,
    diffs,
    comments,
    service.onDidRemoveTasks((taskIds) => void comments.prune(taskIds).catch(showError)),
    cursor,
    deletions,
    showStatusBar(service, deletions),
    notices,
    notifyQuestions(service, panel, notices),
    notifyEnds(service, panel, notices, (task) => model.notifiesOf(task)),
    askAboutLastWindow(service, context.globalState),
    discoverStores(service, context.globalState),
    registerCommands(returningToList(commands, agents), failed),
    followSettings(service, settings),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.conversations`)) {
        agents.settingsChanged();
      }
    }),
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
