import * as vscode from "vscode";

import type { PanelSession } from "../panel/panelSession.js";
import * as strings from "../text/strings.js";
import { type PageContext, servePage } from "./pages.js";
import type { Reveal } from "../util/reveal.js";
import { loadingTitle, type Tabbed, tabTitles } from "./tabTitles.js";

/** The type of the editors' webviews in the manifest. */
export const CONVERSATION_EDITOR = "subagentSidecar.conversation";

/** One open editor. */
interface Editor {
  readonly panel: vscode.WebviewPanel;
  readonly session: PanelSession;
  taskId: string;
  /** What its title is made of, once that is known. */
  shown?: Tabbed;
}

/** Conversations as editors: one for each run, side by side, and restored with their window. */
export class ConversationEditors implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #context: PageContext;
  readonly #editors = new Set<Editor>();
  readonly #registration: vscode.Disposable;
  readonly #fronts = new vscode.EventEmitter<void>();
  /** The editor that was in front last. */
  #last: Editor | undefined;

  /** Fires when another conversation may be in front. */
  readonly onDidChangeFront = this.#fronts.event;

  constructor(context: PageContext) {
    this.#context = context;
    this.#registration = vscode.window.registerWebviewPanelSerializer(CONVERSATION_EDITOR, this);
  }

  /** Show a run: in its editor, or else in a new one among the tabs in front, or to the side. */
  open(taskId: string, how: Reveal = {}): void {
    const known = this.#of(taskId);
    if (known === undefined) {
      this.#create(taskId, how).session.show({ type: "open", taskId });
    } else {
      known.panel.reveal(undefined, how.keepsFocus);
    }
  }

  /** Show a run, and write something at the end of the next message to its agent. */
  addToMessage(taskId: string, text: string): void {
    const editor = this.#of(taskId) ?? this.#create(taskId);
    editor.panel.reveal();
    editor.session.show({ type: "addToMessage", taskId, text });
  }

  #of(taskId: string): Editor | undefined {
    return [...this.#editors].find((editor) => editor.taskId === taskId);
  }

  #create(taskId: string, { toSide = false, keepsFocus = false }: Reveal = {}): Editor {
    const panel = vscode.window.createWebviewPanel(
      CONVERSATION_EDITOR,
      loadingTitle(this.#context.titleOf(taskId)),
      {
        viewColumn: toSide ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
        preserveFocus: keepsFocus,
      },
    );
    return this.#add(panel, taskId);
  }

  /** Whether the user sees this run. */
  shows(taskId: string): boolean {
    return [...this.#editors].some((editor) => editor.taskId === taskId && editor.panel.visible);
  }

  /** The page of the editor in front. */
  get active(): PanelSession | undefined {
    return this.#front?.session;
  }

  /** Bring the keyboard focus to the editor in front; return whether there is one. */
  focus(): boolean {
    this.#front?.panel.reveal();
    return this.#front !== undefined;
  }

  /** The run of the editor in front. */
  get activeTaskId(): string | undefined {
    return this.#front?.taskId;
  }

  /** The run of the editor in front, or else of the one that was and is still in view. */
  get frontTaskId(): string | undefined {
    return (this.#front ?? (this.#last?.panel.visible === true ? this.#last : undefined))?.taskId;
  }

  get #front(): Editor | undefined {
    return [...this.#editors].find(({ panel }) => panel.active);
  }

  /** Take over an editor of the earlier window; close it if its page had no time to keep what it shows. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const taskId = taskIdIn(state);
    if (taskId === undefined) {
      panel.dispose();
    } else {
      this.#add(panel, taskId);
    }
    return Promise.resolve();
  }

  dispose(): void {
    this.#registration.dispose();
    this.#fronts.dispose();
    for (const { session } of this.#editors) {
      session.dispose(); // The editors stay, and are restored with the window.
    }
  }

  #add(panel: vscode.WebviewPanel, taskId: string): Editor {
    panel.iconPath = vscode.Uri.joinPath(this.#context.extensionUri, "media", "conversation.svg");
    const session = servePage(this.#context, panel, {
      place: "editor",
      opensElsewhere: () => true,
      misses: () => {
        if (!editor.shown) {
          panel.title = strings.runs.missing;
        }
      },
      shows: (task, title) => {
        if (editor.taskId !== task.id) {
          editor.taskId = task.id;
          this.#fronts.fire();
        }
        editor.shown = { task, ...(title === undefined ? {} : { title }) };
        this.#nameTabs();
      },
    });
    const editor: Editor = { panel, session, taskId };
    this.#editors.add(editor);
    this.#viewChanged(editor);
    panel.onDidChangeViewState(() => {
      if (!panel.visible) {
        session.hide();
      }
      this.#viewChanged(editor);
    });
    panel.onDidDispose(() => {
      session.dispose();
      this.#editors.delete(editor);
      this.#nameTabs();
      if (this.#last === editor) {
        this.#last = undefined;
      }
      this.#fronts.fire();
    });
    return editor;
  }

  /** Title all tabs: what each is called depends on the others. */
  #nameTabs(): void {
    const named = [...this.#editors].flatMap(({ panel, shown }) =>
      shown ? [{ panel, shown }] : [],
    );
    tabTitles(named.map(({ shown }) => shown)).forEach((title, at) => {
      const panel = named[at]?.panel;
      if (panel !== undefined && panel.title !== title) {
        panel.title = title;
      }
    });
  }

  #viewChanged(editor: Editor): void {
    if (editor.panel.active) {
      this.#last = editor;
    }
    this.#fronts.fire();
  }
}

/** Read which run a page showed, from the state that it kept. */
function taskIdIn(state: unknown): string | undefined {
  const { taskId } = (typeof state === "object" && state !== null ? state : {}) as {
    taskId?: unknown;
  };
  return typeof taskId === "string" ? taskId : undefined;
}
