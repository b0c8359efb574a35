import * as vscode from "vscode";
import type { Disposable } from "vscode-jsonrpc/node";

import { Throttle } from "../util/coalesce.js";
import { isGone, isRefusal } from "../util/errors.js";
import { ErrorCode, type GetParams, type StoredMessage, type TaskInfo } from "../protocol.js";
import { refusalWords } from "../refusals/refusalWords.js";
import type { SubagentService } from "../service/service.js";
import { taskParams, type TaskRef } from "../taskRef.js";
import { type MessagePlace, transcriptText } from "../text/transcriptText.js";
import { oneLine } from "../text/words.js";
import * as strings from "../text/strings.js";

const SCHEME = "subagent-task";
const PAGE = 500;
/** A document longer than this is slow in the editor. */
const MOST_CHARS = 2_000_000;
const UPDATE_MS = 500;
const NAME_CHARS = 60;

/** Stored tasks as read-only documents, which are updated while a run continues. */
export class Transcripts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #service: SubagentService;
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #throttles = new Map<string, Throttle>();
  /** Where the messages of each open document begin. */
  readonly #lines = new Map<string, ReadonlyMap<number, number>>();
  readonly #subscriptions: Disposable[];

  readonly onDidChange = this.#changes.event;

  constructor(service: SubagentService) {
    this.#service = service;
    this.#subscriptions = [
      this.#changes,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#closed(document.uri);
      }),
      service.onDidChangeTask(({ id }) => {
        this.#update(new Set([id]));
      }),
      service.onDidChangeHistory(({ added, changed, removed }) => {
        const ids = new Set([...added, ...changed, ...removed]);
        this.#update(ids.size === 0 ? undefined : ids);
      }),
    ];
  }

  /** Open a task's transcript, at a message if one is named; rejects when there is no such task. */
  async open(wanted: TaskRef, message?: MessagePlace): Promise<void> {
    const { task } = await this.#service.request("tasks/get", taskParams(wanted));
    const uri = uriOf(task, message?.kind ?? "ui");
    const document = await vscode.workspace.openTextDocument(uri);
    const lines = this.#lines.get(uri.toString());
    // A message that is not in the document comes after its end.
    const line = message && (lines?.get(message.index) ?? document.lineCount - 1);
    await vscode.window.showTextDocument(document, {
      preview: true,
      ...(line !== undefined && { selection: new vscode.Range(line, 0, line, 0) }),
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { kind, ...params } = placeOf(uri);
    try {
      const { task } = await this.#service.request("tasks/get", params);
      const { messages, left } = await this.#messages(params, kind);
      const { text, lines } = transcriptText(task, messages, left);
      this.#lines.set(uri.toString(), lines);
      return text;
    } catch (error) {
      return `${whyNot(error)}\n`;
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions, ...this.#throttles.values()).dispose();
  }

  async #messages(
    params: GetParams,
    kind: MessagePlace["kind"],
  ): Promise<{ messages: StoredMessage[]; left: number }> {
    const messages: StoredMessage[] = [];
    let chars = 0;
    let cursor: string | undefined;
    for (;;) {
      const page = await this.#service.request("tasks/messages", {
        ...params,
        kind,
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      messages.push(...page.messages);
      chars += page.messages.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
      cursor = page.nextCursor;
      if (cursor === undefined || chars > MOST_CHARS) {
        return { messages, left: page.total - messages.length };
      }
    }
  }

  /** Read open documents of these tasks again; of all tasks without `ids`. */
  #update(ids: ReadonlySet<string> | undefined): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === SCHEME && (ids === undefined || ids.has(placeOf(uri).taskId))) {
        this.#throttle(uri).call();
      }
    }
  }

  #throttle(uri: vscode.Uri): Throttle {
    const key = uri.toString();
    let throttle = this.#throttles.get(key);
    if (throttle === undefined) {
      throttle = new Throttle(UPDATE_MS, () => {
        this.#changes.fire(uri);
      });
      this.#throttles.set(key, throttle);
    }
    return throttle;
  }

  #closed(uri: vscode.Uri): void {
    this.#throttles.get(uri.toString())?.dispose();
    this.#throttles.delete(uri.toString());
    this.#lines.delete(uri.toString());
  }
}

function whyNot(error: unknown): string {
  if (isRefusal(error, ErrorCode.InvalidParams)) {
    return strings.history.gone; // the sidecar no longer reads its root
  }
  const words = refusalWords(error);
  return isGone(error) ? words : strings.history.noTranscript(words);
}

/** What a document shows; one task may be in several roots, each with messages of its own. */
interface Place {
  readonly taskId: string;
  readonly root: string;
  readonly kind: MessagePlace["kind"];
}

/** Return a URI whose query finds the task after a reload and whose path names the tab. */
function uriOf(task: TaskInfo, kind: Place["kind"]): vscode.Uri {
  const title = oneLine(task.title, NAME_CHARS).replace(/[\\/:*?"<>|]/gu, "-");
  const name = title.replace(/[. ]+$/u, "") || task.id;
  const path = `/${kind === "ui" ? name : strings.history.asSent(name)}.md`;
  const place: Place = { taskId: task.id, root: task.root, kind };
  return vscode.Uri.from({ scheme: SCHEME, path, query: JSON.stringify(place) });
}

function placeOf({ query }: vscode.Uri): Place {
  return JSON.parse(query) as Place;
}
