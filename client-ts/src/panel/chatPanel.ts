import { randomBytes } from "node:crypto";

import {
  type Disposable,
  EventEmitter,
  Uri,
  type WebviewView,
  type WebviewViewProvider,
  workspace,
} from "vscode";

import { pickFolder } from "../commands/runs/prompts.js";
import type { Outbox } from "../service/outbox.js";
import type { SubagentService } from "../service/service.js";
import { launchOptions, SECTION } from "../service/settings.js";
import type { Action, OpenRequest, Navigation } from "./messages.js";
import { pageHtml } from "./page.js";
import { PanelSession } from "./panelSession.js";

/** The view's id in the manifest; the editor derives its focus command from it. */
export const CHAT_VIEW = "subagentSidecar.chat";

const COMMANDS: Record<Action, readonly [command: string, argument?: string]> = {
  runExample: ["subagentSidecar.example.run"],
  showLog: ["subagentSidecar.log.show"],
  repair: ["subagentSidecar.environment.repair"],
  restart: ["subagentSidecar.sidecar.restart"],
  manageTrust: ["workbench.trust.manage"],
  openTranscript: ["subagentSidecar.task.open"],
  chooseDefinition: ["subagentSidecar.definition.choose"],
  createDefinition: ["subagentSidecar.definition.create"],
  openRunnerSettings: ["workbench.action.openSettings", `${SECTION}.runners`],
  changeLimit: ["workbench.action.openSettings", `${SECTION}.maxAsyncTasks`],
  startNow: ["subagentSidecar.subagent.startNow"],
};

/** Runs commands of the editor; `vscode.commands` is one. */
export interface CommandRunner {
  executeCommand(command: string, ...args: unknown[]): Thenable<unknown>;
}

/** The chat view: launches subagents and shows each run as a conversation. */
export class ChatPanel implements WebviewViewProvider, Disposable {
  readonly #extensionUri: Uri;
  readonly #service: SubagentService;
  readonly #outbox: Outbox;
  readonly #commands: CommandRunner;
  readonly #open: (open: OpenRequest) => void;
  #view: WebviewView | undefined;
  #session: PanelSession | undefined;
  #pending: Navigation | undefined;
  readonly #shown = new EventEmitter<void>();

  /** Fires when the view becomes visible. */
  readonly onDidShow = this.#shown.event;

  constructor(
    extensionUri: Uri,
    service: SubagentService,
    outbox: Outbox,
    commands: CommandRunner,
    open: (open: OpenRequest) => void,
  ) {
    this.#extensionUri = extensionUri;
    this.#service = service;
    this.#outbox = outbox;
    this.#commands = commands;
    this.#open = open;
  }

  /** Whether the view is visible. */
  get visible(): boolean {
    return this.#view?.visible === true;
  }

  /** Show the view and, if a task is named, its conversation. */
  async reveal(taskId?: string): Promise<void> {
    await this.#show(taskId === undefined ? { type: "home" } : { type: "open", taskId });
  }

  /** Show the view with the cursor in the goal, and choose the named subagent. */
  async focusComposer(subagentName?: string): Promise<void> {
    await this.#show({ type: "compose", ...(subagentName === undefined ? {} : { subagentName }) });
  }

  /** Update the definitions and choose the named one for the next launch. */
  async definitionsChanged(chosen?: string): Promise<void> {
    await this.#session?.definitionsChanged(chosen);
  }

  resolveWebviewView(view: WebviewView): void {
    this.#view = view;
    const session = this.#newSession(view);
    this.#session = session;
    view.onDidChangeVisibility(() => {
      if (view.visible) {
        this.#shown.fire();
      } else {
        session.hide();
      }
    });
    view.onDidDispose(() => {
      session.dispose();
      if (this.#session === session) {
        this.#session = this.#view = undefined;
      }
    });
    view.webview.onDidReceiveMessage((message: unknown) => {
      session.receive(message);
    });
    this.#load(view);
    this.#shown.fire();
    if (this.#pending !== undefined) {
      session.show(this.#pending);
      this.#pending = undefined;
    }
  }

  dispose(): void {
    this.#shown.dispose();
  }

  async #show(message: Navigation): Promise<void> {
    this.#pending = message;
    await this.#commands.executeCommand(`${CHAT_VIEW}.focus`);
    if (this.#session !== undefined && this.#pending === message) {
      this.#pending = undefined;
      this.#session.show(message);
    }
  }

  #newSession(view: WebviewView): PanelSession {
    return new PanelSession(this.#service, this.#outbox, {
      pickFolder,
      launchOptions: () => launchOptions(workspace.getConfiguration(SECTION)),
      open: this.#open,
      post: (message) => {
        void view.webview.postMessage(message);
      },
      act: (action, taskId) => {
        const [command, argument = taskId] = COMMANDS[action];
        void this.#commands.executeCommand(command, ...(argument === undefined ? [] : [argument]));
      },
    });
  }

  #load({ webview }: WebviewView): void {
    const root = Uri.joinPath(this.#extensionUri, "out", "webview");
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(Uri.joinPath(root, "main.js")).toString(),
      styleUri: webview.asWebviewUri(Uri.joinPath(root, "style.css")).toString(),
      nonce: randomBytes(16).toString("base64url"),
    });
  }
}
