import {
  type Disposable,
  EventEmitter,
  type WebviewView,
  type WebviewViewProvider,
  workspace,
} from "vscode";

import { Inbox } from "../panel/inbox.js";
import type { Navigation, ToWebview } from "../panel/messages.js";
import { readMessage } from "../panel/readMessage.js";
import type { PanelSession } from "../panel/panelSession.js";
import type { FleetFeed } from "../offers/fleetFeed.js";
import type { OfferFeed } from "../offers/offerFeed.js";
import { inform } from "../questions/notify.js";
import { SECTION } from "../service/settings.js";
import * as strings from "../text/strings.js";
import type { DueDeletions } from "../views/dueDeletions.js";
import type { HistoryList } from "./historyList.js";
import type { LineCounts } from "./lineCounts.js";
import type { Reveal } from "../util/reveal.js";
import type { ConversationEditors } from "./conversationEditors.js";
import { type PageContext, servePage } from "./pages.js";

/** The view's id in the manifest; the editor derives its focus command from it. */
export const AGENTS_VIEW = "subagentSidecar.chat";

/** Whether the setting shows conversations in the editor area. */
export function showsInEditor(): boolean {
  const where = workspace.getConfiguration(SECTION).get<string>("conversations", "editor");
  return where !== "sideBar";
}

/** The side bar: the list of agents and the composer, and conversations if the user wants them there. */
export class AgentsView implements WebviewViewProvider, Disposable {
  readonly #context: PageContext;
  readonly #history: HistoryList;
  readonly #lines: LineCounts;
  readonly #offers: OfferFeed;
  readonly #fleet: FleetFeed;
  readonly #deletions: Pick<DueDeletions, "shown" | "onDidChange">;
  readonly #editors: Pick<ConversationEditors, "frontTaskId" | "onDidChangeFront">;
  readonly #subscriptions: readonly Disposable[];
  #view: WebviewView | undefined;
  #session: PanelSession | undefined;
  /** The view may be moved, which makes another page. */
  readonly #inbox = new Inbox();
  readonly #shown = new EventEmitter<WebviewView>();

  /** Fires with the view when it becomes visible. */
  readonly onDidShow = this.#shown.event;

  constructor(
    context: PageContext,
    history: HistoryList,
    lines: LineCounts,
    offers: OfferFeed,
    fleet: FleetFeed,
    deletions: Pick<DueDeletions, "shown" | "onDidChange">,
    editors: Pick<ConversationEditors, "frontTaskId" | "onDidChangeFront">,
  ) {
    this.#context = context;
    this.#history = history;
    this.#lines = lines;
    this.#offers = offers;
    this.#fleet = fleet;
    this.#deletions = deletions;
    this.#editors = editors;
    this.#subscriptions = [
      deletions.onDidChange(() => {
        this.#postDeletions();
      }),
      editors.onDidChangeFront(() => {
        this.#postFront();
      }),
    ];
  }

  /** Whether the view is visible. */
  get visible(): boolean {
    return this.#view?.visible === true;
  }

  /** The view, once it has been opened. */
  get view(): WebviewView | undefined {
    return this.#view;
  }

  /** The page of the view while it is visible. */
  get page(): PanelSession | undefined {
    return this.visible ? this.#session : undefined;
  }

  /**
   * Show the view with the list or, if a task is named, its conversation. Without the focus only if it is visible: a
   * view that opens would replace the one in which the user may be. If it is not, offer to show the conversation.
   */
  async reveal(taskId?: string, { keepsFocus = false }: Reveal = {}): Promise<void> {
    const target: Navigation = taskId === undefined ? { type: "home" } : { type: "open", taskId };
    if (!keepsFocus) {
      await this.#show(target);
    } else if (this.visible) {
      this.#session?.show(target);
    } else if (taskId !== undefined) {
      void this.#offer(target);
    }
  }

  async #offer(target: Navigation): Promise<void> {
    const { launched, open } = strings.runs;
    if ((await inform(launched, open)) === open) {
      await this.#show(target);
    }
  }

  /** Show the view with the cursor in the goal; choose the named subagent and fill in the goal. */
  async focusComposer(subagentName?: string, goal?: string): Promise<void> {
    await this.#show({
      type: "compose",
      ...(subagentName === undefined ? {} : { subagentName }),
      ...(goal === undefined ? {} : { goal }),
    });
  }

  /** Choose the named subagent, with the cursor in the goal if the view has the focus. */
  compose(subagentName: string): void {
    this.#session?.show({ type: "compose", subagentName });
  }

  /** Give the view the keyboard focus. */
  async focus(): Promise<void> {
    await this.#context.commands.executeCommand(`${AGENTS_VIEW}.focus`);
  }

  /** Give the view the keyboard focus, in its list or conversation. */
  async focusList(): Promise<void> {
    await this.#show({ type: "focusList" });
  }

  /** Show the view with the cursor in the goal, and write something at its end. */
  async addToGoal(text: string): Promise<void> {
    await this.#show({ type: "addToGoal", text });
  }

  /** Show the view with a run, and write something at the end of the next message to its agent. */
  async addToMessage(taskId: string, text: string): Promise<void> {
    await this.#show({ type: "addToMessage", taskId, text });
  }

  /** Update the definitions and choose the named one for the next launch. */
  async definitionsChanged(chosen?: string): Promise<void> {
    await this.#session?.definitionsChanged(chosen);
  }

  /** Apply a changed setting. */
  settingsChanged(): void {
    this.#session?.settingsChanged();
  }

  resolveWebviewView(view: WebviewView): void {
    this.#view = view;
    view.webview.onDidReceiveMessage((message: unknown) => {
      this.#receive(view, message);
    });
    const session = servePage(this.#context, view, {
      place: "sideBar",
      opensElsewhere: showsInEditor,
      focus: () => void this.focus(),
      inbox: this.#inbox,
    });
    this.#session = session;
    view.onDidChangeVisibility(() => {
      if (this.#session !== session) {
        return; // Another view has taken its place.
      }
      if (view.visible) {
        this.#shown.fire(view);
      } else {
        session.hide();
        this.#inbox.turnAway();
        this.#hide();
      }
    });
    view.onDidDispose(() => {
      session.dispose();
      if (this.#session === session) {
        this.#hide();
        this.#session = this.#view = undefined;
      }
    });
    this.#shown.fire(view);
  }

  dispose(): void {
    this.#shown.dispose();
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  #postDeletions(): void {
    const { shown } = this.#deletions;
    const deletions = shown && { tasks: shown.tasks, days: shown.withinDays };
    const message: ToWebview = { type: "deletions", ...(deletions && { deletions }) };
    void this.#view?.webview.postMessage(message);
  }

  #postFront(): void {
    const taskId = this.#editors.frontTaskId;
    const message: ToWebview = { type: "front", ...(taskId === undefined ? {} : { taskId }) };
    void this.#view?.webview.postMessage(message);
  }

  #hide(): void {
    this.#history.hide();
    this.#lines.hide();
    this.#offers.hide();
    this.#fleet.hide();
  }

  #receive({ webview }: WebviewView, raw: unknown): void {
    const message = readMessage(raw);
    const post = (posted: ToWebview): void => {
      void webview.postMessage(posted);
    };
    if (message?.type === "ready") {
      this.#history.show((page) => {
        post({ type: "history", page });
        this.#lines.update();
      });
      this.#lines.show((tasks) => {
        post({ type: "changes", tasks });
      });
      this.#offers.show((offered) => {
        post({ type: "offers", ...offered });
      });
      this.#fleet.show((fleet) => {
        post({ type: "fleet", ...(fleet && { fleet }) });
      });
      this.#postDeletions();
      this.#postFront();
    } else if (message?.type === "moreHistory") {
      void this.#history.loadMore();
    } else if (message?.type === "tasksInView") {
      this.#lines.look(message.tasks);
    } else if (message?.type === "connectFleet") {
      void this.#fleet.connect();
    } else if (message?.type === "useAgent") {
      void this.#context.commands.executeCommand("subagentSidecar.agent.use", message.runner);
    }
  }

  async #show(message: Navigation): Promise<void> {
    await this.focus();
    this.#inbox.show(message);
  }
}
