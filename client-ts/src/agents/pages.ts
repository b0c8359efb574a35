import { randomBytes } from "node:crypto";

import * as vscode from "vscode";

import type { Attaching } from "./attaching.js";
import { findFiles, imagesNamed } from "./files.js";
import { otherFolders, pickFolder } from "../commands/runs/prompts.js";
import type { Action, OpenRequest, PagePlace, ToWebview } from "../panel/messages.js";
import { language } from "../l10n/language.js";
import { pictureVersion } from "./pictures.js";
import type { MarkStore } from "../marks/markStore.js";
import type { Inbox } from "../panel/inbox.js";
import { pageHtml } from "../panel/page.js";
import type { PageMarks, PanelHost } from "../panel/panelHost.js";
import { PanelSession } from "../panel/panelSession.js";
import type { AsyncTask } from "../protocol.js";
import type { Outbox } from "../service/outbox.js";
import type { SubagentService } from "../service/service.js";
import { launchOptions, SECTION } from "../service/settings.js";
import { storedRef } from "../storedRef.js";
import { homeFolder } from "../text/places.js";
import { inOwnRoot, type TaskRef } from "../taskRef.js";
import { machineSetting } from "../util/machineSetting.js";

const COMMANDS: Record<Action, readonly [command: string, argument?: unknown]> = {
  runExample: ["subagentSidecar.example.run"],
  showLog: ["subagentSidecar.log.show"],
  repair: ["subagentSidecar.environment.repair"],
  selectPython: ["subagentSidecar.environment.selectPython"],
  restart: ["subagentSidecar.sidecar.restart"],
  cancelSetup: ["subagentSidecar.environment.cancel"],
  manageTrust: ["workbench.trust.manage"],
  openTranscript: ["subagentSidecar.task.open"],
  openConversation: ["subagentSidecar.subagent.open"],
  openStored: ["subagentSidecar.task.view"],
  chooseDefinition: ["subagentSidecar.definition.choose"],
  createDefinition: ["subagentSidecar.definition.create"],
  openRunnerSettings: machineSetting(`${SECTION}.runners`),
  changeLimit: machineSetting(`${SECTION}.maxAsyncTasks`),
  startNow: ["subagentSidecar.subagent.startNow"],
  cancel: ["subagentSidecar.subagent.cancel"],
  answer: ["subagentSidecar.question.answer"],
  review: ["subagentSidecar.subagent.review"],
  resume: ["subagentSidecar.subagent.resume"],
  signIn: ["subagentSidecar.agent.signIn"],
  deleteTask: ["subagentSidecar.task.delete"],
  pin: ["subagentSidecar.task.pin"],
  unpin: ["subagentSidecar.task.unpin"],
  rename: ["subagentSidecar.task.rename"],
  showAll: ["subagentSidecar.list.showAll"],
  filter: ["subagentSidecar.history.filter"],
  clearFilter: ["subagentSidecar.history.clearFilter"],
  keepCopies: ["subagentSidecar.history.keepCopies"],
  hideDeletions: ["subagentSidecar.history.hideDeletions"],
};

/** Actions that take the focus for an input or a confirmation, after which the user is where they were. */
const ASKING: ReadonlySet<Action> = new Set(["rename", "deleteTask", "filter"]);

/** What all pages share. */
export interface PageContext {
  readonly extensionUri: vscode.Uri;
  readonly service: SubagentService;
  readonly outbox: Outbox;
  readonly commands: Pick<typeof vscode.commands, "executeCommand">;
  readonly open: (request: OpenRequest) => void;
  readonly marks: Pick<MarkStore, "of" | "onDidChange">;
  readonly attaching: Pick<Attaching, "paths">;
  /** Return the title of a run or a stored task by its page's id, if it is known already. */
  readonly titleOf: (taskId: string) => string | undefined;
}

/** What one page is for. */
export interface PageRole {
  readonly place: PagePlace;
  /** Whether a run that the page names opens in another page. */
  readonly opensElsewhere: () => boolean;
  /** Give the page the focus again, which the input of an action took. */
  readonly focus?: () => void;
  /** Called if the run that the page would show cannot be read. */
  readonly misses?: () => void;
  /** Called with each state of the run that the page shows, and what the user calls it. */
  readonly shows?: (task: AsyncTask, title: string | undefined) => void;
  /** What is kept for the page, if another one may take its place. */
  readonly inbox?: Inbox;
}

/** Fill a webview with the page and serve it. The session lives until it is disposed. */
export function servePage(
  context: PageContext,
  { webview }: Pick<vscode.WebviewView, "webview">,
  role: PageRole,
): PanelSession {
  const post = (message: ToWebview): void => {
    if (message.type === "taskMissing") {
      role.misses?.();
    }
    void webview.postMessage(message);
  };
  const host: PanelHost = {
    pickFolder: async () => {
      const folder = await pickFolder();
      if (folder !== undefined && (vscode.workspace.workspaceFolders ?? []).length > 1) {
        role.focus?.(); // which the choice took; who left it may be elsewhere
      }
      return folder;
    },
    otherFolders,
    imagesNamed,
    launchOptions: () => launchOptions(vscode.workspace.getConfiguration(SECTION)),
    opensElsewhere: role.opensElsewhere,
    shows: role.shows ?? (() => undefined),
    open: context.open,
    findFiles: (text, show) => findFiles(text, show),
    pictureVersion,
    attach: (request) => context.attaching.paths(request),
    marks: pageMarks(context),
    compose: ({ subagentName, goal }) => {
      void context.commands.executeCommand("subagentSidecar.composer.fill", subagentName, goal);
    },
    post,
    act: (action, task, { isAway = false, toSide = false }) => {
      if (isAway && vscode.window.state.focused) {
        return; // the user continues elsewhere in this window, which must not be interrupted
      }
      const [command, argument = argumentOf(task)] = COMMANDS[action];
      const done = context.commands.executeCommand(
        command,
        ...(argument === undefined ? [] : [argument]),
        ...(toSide ? [true] : []),
      );
      if (ASKING.has(action)) {
        void Promise.resolve(done).then(role.focus);
      }
    },
  };
  const session = new PanelSession(context.service, context.outbox, host, role.inbox);
  webview.onDidReceiveMessage((message: unknown) => {
    session.receive(message);
  });
  load(context.extensionUri, webview, role.place);
  return session;
}

/** Find a task of a page: a run is stored in the root of the sidecar. */
function pageMarks({ marks, service }: PageContext): PageMarks {
  return {
    of: (taskId) => marks.of(inOwnRoot(storedRef(taskId) ?? { id: taskId }, service)),
    onDidChange: marks.onDidChange,
  };
}

function argumentOf(task: TaskRef | undefined): string | TaskRef | undefined {
  return task?.root === undefined ? task?.id : task;
}

function load(extensionUri: vscode.Uri, webview: vscode.Webview, place: PagePlace): void {
  const root = vscode.Uri.joinPath(extensionUri, "out", "webview");
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  webview.options = { enableScripts: true, localResourceRoots: [root, ...folders] };
  webview.html = pageHtml({
    place,
    home: homeFolder(),
    folders: folders.map((uri) => ({
      path: uri.fsPath,
      uri: webview.asWebviewUri(uri).toString(),
    })),
    language: language(),
    cspSource: webview.cspSource,
    scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(root, "main.js")).toString(),
    styleUri: webview.asWebviewUri(vscode.Uri.joinPath(root, "style.css")).toString(),
    nonce: randomBytes(16).toString("base64url"),
  });
}
