import * as vscode from "vscode";

import type { AsyncTask } from "../protocol.js";
import type { SidecarService } from "../service/sidecarService.js";
import { continueInChat, wantsToContinue } from "./reminders/continueInChat.js";
import { Reminders } from "./reminders/reminders.js";
import { registerTools } from "./tools/tools.js";
import type { Turns } from "./reminders/turns.js";

const MOST_LAUNCHED = 1_000;

/** What the extension offers to the models of the editor: tools, reminders and turns. */
export class ModelSide implements vscode.Disposable {
  readonly turns: Turns;
  readonly #service: SidecarService;
  readonly #reminders: Reminders;
  readonly #launched = new Set<string>();
  readonly #registered: vscode.Disposable;

  constructor(service: SidecarService) {
    this.#service = service;
    this.#reminders = new Reminders(service);
    this.turns = continueInChat(service, this.#reminders);
    this.#registered = registerTools({
      service,
      reminders: this.#reminders,
      callBegins: () => this.#callBegins(),
      launched: (taskId) => {
        this.#noteLaunch(taskId);
      },
    });
  }

  /** Whether the chat is notified of the end of a run, so that no other notification is needed. */
  notifiesOf({ id }: AsyncTask): boolean {
    return this.#launched.has(id) && wantsToContinue();
  }

  dispose(): void {
    this.#registered.dispose();
  }

  #callBegins(): () => void {
    const ends = this.turns.callBegins();
    this.#reportBusy();
    return () => {
      ends();
      this.#reportBusy();
    };
  }

  /** Ends during a call ride on its result; the sidecar asks for no turn meanwhile. */
  #reportBusy(): void {
    this.#service.setAgentBusy(this.turns.isCalling).catch(() => undefined); // Its end is a state of its own.
  }

  #noteLaunch(taskId: string): void {
    this.#launched.add(taskId);
    if (this.#launched.size > MOST_LAUNCHED) {
      this.#launched.delete([...this.#launched][0] ?? "");
    }
  }
}
