import * as vscode from "vscode";

import type { AsyncTask } from "../protocol.js";
import { inform, showError } from "../questions/notify.js";
import { SECTION } from "../service/settings.js";
import * as strings from "../text/strings.js";
import { Burst } from "../util/burst.js";
import { isOfOtherWindow } from "../windows/owner.js";

/** What comes this close together is one notification, in ms. */
export const BURST_MS = 700;

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
  /** Whether it is still true: a question may have been answered elsewhere. */
  isDue(): boolean;
  /** Show a notification of this alone. */
  show(): Promise<void>;
}

/** Shows a notice by itself, and a burst of them as one notification that leads to the list. */
export class Notices {
  readonly #panel: NoticePanel;
  readonly #burst = new Burst<Notice>(BURST_MS, (notices) => {
    this.#show(notices.filter((notice) => notice.isDue() && this.#isWanted(notice)));
  });

  constructor(panel: NoticePanel) {
    this.#panel = panel;
  }

  /** Show a notice, unless the setting of its kind, its window or what is in view says not to. */
  add(notice: Notice): void {
    if (this.#isWanted(notice)) {
      this.#burst.add(notice);
    }
  }

  dispose(): void {
    this.#burst.dispose();
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
      (others.length === 0 ? first.show() : this.#showAll(notices)).catch(showError);
    }
  }

  async #showAll(notices: readonly Notice[]): Promise<void> {
    const { show } = strings.common;
    const asking = notices.filter(({ kind }) => kind === "notifyOnQuestion");
    const ended = notices.length - asking.length;
    if ((await inform(strings.runs.several(ended, asking.length), show)) === show) {
      await this.#panel.reveal(notices.length === ended ? undefined : asking[0]?.task.id);
    }
  }
}
