import type { Event, WebviewView } from "vscode";

import type { PanelSession } from "../panel/panelSession.js";
import { storedRef } from "../storedRef.js";
import { type AgentsView, showsInEditor } from "./agentsView.js";
import type { Reveal } from "../util/reveal.js";
import type { ConversationEditors } from "./conversationEditors.js";

/** Shows runs where the user wants them: in the editor area or in the side bar. */
export class Conversations {
  readonly #view: AgentsView;
  readonly #editors: ConversationEditors;

  /** Fires when the list becomes visible. */
  readonly onDidShow: Event<WebviewView>;

  constructor(view: AgentsView, editors: ConversationEditors) {
    this.#view = view;
    this.#editors = editors;
    this.onDidShow = view.onDidShow;
  }

  /** Whether the list is visible. */
  get visible(): boolean {
    return this.#view.visible;
  }

  /** Whether the user sees the list or this run. */
  shows(taskId: string): boolean {
    return this.#view.visible || this.#editors.shows(taskId);
  }

  /** The page in front that may show a conversation: an editor, or else the side bar. */
  get page(): Pick<PanelSession, "show" | "turns"> | undefined {
    return this.#editors.active ?? this.#view.page;
  }

  /** The run whose conversation is in front in an editor. */
  get taskId(): string | undefined {
    return this.#editors.activeTaskId;
  }

  /** Show the list or, if a task is named, its conversation. */
  async reveal(taskId?: string, how: Reveal = {}): Promise<void> {
    if (taskId !== undefined && showsInEditor()) {
      this.#editors.open(taskId, how);
    } else {
      await this.#view.reveal(taskId, how);
    }
  }

  /** Bring the keyboard focus to a row of the list, also from elsewhere in its view. */
  focusList(): Promise<void> {
    return this.#view.focusList();
  }

  /** Show the list with the cursor in the goal; choose the named subagent and fill in the goal. */
  focusComposer(subagentName?: string, goal?: string): Promise<void> {
    return this.#view.focusComposer(subagentName, goal);
  }

  /** Choose the named subagent, with the cursor in the goal if the user is still in the list. */
  compose(subagentName: string): void {
    this.#view.compose(subagentName);
  }

  /** Bring the keyboard focus to an open question; return whether the conversation with it is in front. */
  async toQuestion(taskId: string, requestId: string): Promise<boolean> {
    const isInFront = (this.taskId ?? this.#view.page?.taskId) === taskId;
    if (isInFront) {
      await this.focus();
      this.page?.show({ type: "toQuestion", requestId });
    }
    return isInFront;
  }

  /** Bring the keyboard focus to the conversation in front, or else to the list. */
  async focus(): Promise<void> {
    if (!this.#editors.focus()) {
      await this.#view.focus();
    }
  }

  /** Show the list with the cursor in the goal, and write something at its end. */
  addToGoal(text: string): Promise<void> {
    return this.#view.addToGoal(text);
  }

  /**
   * Show a run, and write something at the end of the next message to its agent. Nobody answers in a stored
   * task: there, it goes to the end of the goal for another agent.
   */
  async addToMessage(taskId: string, text: string): Promise<void> {
    if (storedRef(taskId) !== undefined) {
      await this.addToGoal(text);
    } else if (showsInEditor()) {
      this.#editors.addToMessage(taskId, text);
    } else {
      await this.#view.addToMessage(taskId, text);
    }
  }

  /** Update the definitions and choose the named one for the next launch. */
  definitionsChanged(chosen?: string): Promise<void> {
    return this.#view.definitionsChanged(chosen);
  }
}
