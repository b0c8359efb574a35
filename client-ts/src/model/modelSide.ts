import * as vscode from "vscode";

import type { AsyncTask } from "../protocol.js";
import type { Installation } from "../service/installation.js";
import type { SidecarService } from "../service/sidecarService.js";
import { createApi } from "./api/api.js";
import type { SubagentSidecarApi } from "./api/types.js";
import { offerMcpServer } from "./mcp/mcpServer.js";
import { answerChat } from "./participant/participant.js";
import { continueInChat, wantsToContinue } from "./reminders/continueInChat.js";
import { Reminders } from "./reminders/reminders.js";
import { registerTools } from "./tools/tools.js";
import type { Turns } from "./reminders/turns.js";

const MOST_LAUNCHED = 1_000;

/** What the extension offers to the models of the editor: tools, reminders and turns. */
export class ModelSide implements vscode.Disposable {
  readonly turns: Turns;
  /** What other extensions get. */
  readonly api: SubagentSidecarApi;
  readonly #service: SidecarService;
  readonly #reminders: Reminders;
  readonly #launched = new RecentIds();
  readonly #launchedByExtensions = new RecentIds();
  readonly #registered: vscode.Disposable;

  constructor(service: SidecarService, installation: Installation, version: string) {
    this.#service = service;
    this.#reminders = new Reminders(service);
    this.turns = continueInChat(service, this.#reminders, ({ id }) =>
      this.#launchedByExtensions.has(id),
    );
    this.api = createApi(service, this.#reminders, (id) => {
      this.#launchedByExtensions.add(id);
    });
    const tools = registerTools({
      service,
      reminders: this.#reminders,
      callBegins: () => this.#callBegins(),
      launched: (taskId) => {
        this.#launched.add(taskId);
      },
    });
    this.#registered = vscode.Disposable.from(
      tools,
      offerMcpServer({ service, installation, version }),
      answerChat(service),
    );
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

  /** Ends during a call are attached to its result; the sidecar requests no turn meanwhile. */
  #reportBusy(): void {
    this.#service.setAgentBusy(this.turns.isCalling).catch(() => undefined); // Its end is a state of its own.
  }
}

/** The last ids that were added. */
class RecentIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size > MOST_LAUNCHED) {
      this.#ids.delete([...this.#ids][0] ?? "");
    }
  }
}
