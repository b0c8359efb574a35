import * as vscode from "vscode";

import type { AsyncTask } from "../protocol.js";
import { inform, showError } from "../questions/notify.js";
import { SECTION } from "../service/settings.js";
import * as strings from "../text/strings.js";
import { Burst } from "../util/burst.js";
import { isOfOtherWindow } from "../windows/owner.js";
import type { SystemNotices } from "./systemNotices.js";

/** What comes this close together is one notification, in ms. */
export const BURST_MS = 700;
/** In a window without the focus, what comes this long after a notification is the next one, in ms. */
export const AWAY_MS = 5_000;

/** What notifications need of the panel. */
export interface NoticePanel {
  /** Whether the user sees the list or this run. */
  shows(taskId: string): boolean;
  reveal(taskId?: string): Promise<void>;
}

/** A kind of notification, which is the name of its setting. */
export type NoticeKind = "notifyOnEnd" | "notifyOnQuestion";

/** Something about a run that the user should notice. */
export interface Notice {
  readonly kind: NoticeKind;
  readonly task: AsyncTask;
  /** What a notification of the system says, in one line. */
  readonly text: string;
  /** Whether it is still true: a question may have been answered elsewhere. */
  isDue(): boolean;
  /** Show a notification of this alone. */
  show(): Promise<void>;
}

/** Shows a notice by itself, and a burst of them as one notification that leads to the list. */
export class Notices {
  readonly #panel: NoticePanel;
  readonly #system: SystemNotices;
  readonly #burst = new Burst<Notice>(
    () => this.#wait(),
    (notices) => {
      this.#show(notices.filter((notice) => notice.isDue() && this.#isWanted(notice)));
    },
  );
  readonly #subscription: vscode.Disposable;
  #shownAt = -Infinity;

  constructor(panel: NoticePanel, system: SystemNotices) {
    this.#panel = panel;
    this.#system = system;
    this.#subscription = vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) {
        this.#burst.flush(); // Who returns need not wait.
      }
    });
  }

  /** Show a notice, unless the setting of its kind, its window or what is in view says not to. */
  add(notice: Notice): void {
    if (this.#isWanted(notice)) {
      this.#burst.add(notice);
    }
  }

  dispose(): void {
    this.#burst.dispose();
    this.#subscription.dispose();
  }

  /** Return how long to collect notices, in ms: longer for who is away and was just notified. */
  #wait(): number {
    const next = this.#shownAt + AWAY_MS - Date.now();
    return vscode.window.state.focused ? BURST_MS : Math.max(BURST_MS, next);
  }

  #isWanted({ kind, task }: Notice): boolean {
    const mode = vscode.workspace.getConfiguration(SECTION).get<string>(kind, "hidden");
    const isAway = !vscode.window.state.focused;
    const isUnseen = isAway || (mode === "hidden" && !this.#panel.shows(task.id));
    return mode !== "never" && isUnseen && !isOfOtherWindow(task);
  }

  #show(notices: readonly Notice[]): void {
    const [first, ...others] = notices;
    if (first !== undefined) {
      this.#shownAt = Date.now();
      this.#system.add(others.length === 0 ? first.text : severalText(notices));
      (others.length === 0 ? first.show() : this.#showAll(notices)).catch(showError);
    }
  }

  async #showAll(notices: readonly Notice[]): Promise<void> {
    const { show } = strings.common;
    if ((await inform(severalText(notices), show)) === show) {
      await this.#panel.reveal(questionsIn(notices)[0]?.task.id);
    }
  }
}

function questionsIn(notices: readonly Notice[]): readonly Notice[] {
  return notices.filter(({ kind }) => kind === "notifyOnQuestion");
}

function severalText(notices: readonly Notice[]): string {
  const asking = questionsIn(notices).length;
  return strings.runs.several(notices.length - asking, asking);
}
