// What the tested modules use of the editor's API, as plain objects.
import { EventEmitter as NodeEmitter } from "node:events";

export * from "./vscodeModels.js";

export class Disposable {
  readonly #dispose: () => void;

  constructor(dispose: () => void) {
    this.#dispose = dispose;
  }

  static from(...parts: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const part of parts) {
        part.dispose();
      }
    });
  }

  dispose(): void {
    this.#dispose();
  }
}

export class EventEmitter<T> {
  readonly #emitter = new NodeEmitter().setMaxListeners(0);

  readonly event = (listener: (value: T) => void): Disposable => {
    this.#emitter.on("event", listener);
    return new Disposable(() => this.#emitter.off("event", listener));
  };

  fire(value: T): void {
    this.#emitter.emit("event", value);
  }

  dispose(): void {
    this.#emitter.removeAllListeners();
  }
}

export class ThemeIcon {
  constructor(
    readonly id: string,
    readonly color?: ThemeColor,
  ) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class TreeItem {
  constructor(readonly label: string) {}
}

export class MarkdownString {
  constructor(public value = "") {}

  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~<>]/g, "\\$&");
    return this;
  }

  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query: string,
  ) {}

  static from({
    scheme,
    path = "",
    query = "",
  }: {
    scheme: string;
    path?: string;
    query?: string;
  }) {
    return new Uri(scheme, path, query);
  }

  static file(path: string): Uri {
    return new Uri("file", path, "");
  }

  static parse(text: string): Uri {
    const [, scheme = "", path = "", query = ""] = /^([\w-]+):([^?]*)\??(.*)$/u.exec(text) ?? [];
    return new Uri(scheme, path, decodeURIComponent(query));
  }

  static joinPath({ scheme, path, query }: Uri, name: string): Uri {
    return new Uri(scheme, `${path}/${name}`, query);
  }

  get fsPath(): string {
    return this.path;
  }

  toString(): string {
    return `${this.scheme}:${this.path}?${encodeURIComponent(this.query)}`;
  }
}

/** A place in a text. */
export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}

  translate(lines: number, characters: number): Position {
    return new Position(this.line + lines, this.character + characters);
  }
}

export class Range {
  readonly parts: readonly unknown[];

  constructor(...parts: readonly unknown[]) {
    this.parts = parts;
  }

  get start() {
    return new Position(Number(this.parts[0]), Number(this.parts[1]));
  }

  get end() {
    return new Position(Number(this.parts[2]), Number(this.parts[3]));
  }
}

/** An item in the status bar. */
export class StatusBarItem {
  text = "";
  tooltip = "";
  visible = false;

  show(): void {
    this.visible = true;
  }

  hide(): void {
    this.visible = false;
  }

  dispose(): void {
    this.visible = false;
  }
}

export const StatusBarAlignment = { Left: 1 } as const;

/** Fires when the window gets or loses the focus. */
export const focusChanges = new EventEmitter<object>();

/** Fires when another editor becomes active, or none. */
export const editorChanges = new EventEmitter<unknown>();

/** Who changed a selection. */
export const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 } as const;

export const ViewColumn = { Active: -1 } as const;

export const ProgressLocation = { Window: 10 } as const;

export const QuickPickItemKind = { Separator: -1, Default: 0 } as const;

/** A quick pick that a test types into and chooses from. */
export class QuickPick {
  value = "";
  title = "";
  placeholder = "";
  busy = false;
  items: readonly object[] = [];
  activeItems: readonly object[] = [];
  selectedItems: readonly object[] = [];
  buttons: readonly object[] = [];
  readonly #values = new EventEmitter<string>();
  readonly #accepts = new EventEmitter<undefined>();
  readonly #hides = new EventEmitter<undefined>();
  readonly #presses = new EventEmitter<object>();
  readonly onDidChangeValue = this.#values.event;
  readonly onDidAccept = this.#accepts.event;
  readonly onDidHide = this.#hides.event;
  readonly onDidTriggerButton = this.#presses.event;

  /** The editor shows one at a time. */
  show(): void {
    shown.pick?.hide();
    shown.pick = this;
  }

  hide(): void {
    this.#hides.fire(undefined);
  }

  dispose(): void {
    this.items = [];
  }

  type(text: string): void {
    this.value = text;
    this.#values.fire(text);
  }

  accept(item: object | undefined): void {
    this.selectedItems = item === undefined ? [] : [item];
    this.#accepts.fire(undefined);
  }

  press(button: object | undefined): void {
    if (button !== undefined) {
      this.#presses.fire(button);
    }
  }
}

/** A document of a content provider. */
export class Document {
  constructor(
    readonly uri: Uri,
    public text: string,
  ) {}

  get lineCount(): number {
    return this.text.split("\n").length;
  }

  getText(): string {
    return this.text;
  }

  positionAt(offset: number): Position {
    const before = this.text.slice(0, offset).split("\n");
    return new Position(before.length - 1, before.at(-1)?.length ?? 0);
  }
}

/** A tab with a page of the extension. */
export class WebviewPanel {
  readonly #disposals = new EventEmitter<undefined>();
  readonly onDidDispose = this.#disposals.event;
  readonly webview = {
    html: "",
    options: {},
    cspSource: "https://own.example",
    asWebviewUri: (uri: Uri): Uri => uri,
  };
  /** How often it was brought to the front, apart from its creation. */
  revealed = 0;

  constructor(readonly viewType: string) {
    shown.panels.push(this);
  }

  reveal(): void {
    this.revealed += 1;
  }

  dispose(): void {
    this.#disposals.fire(undefined);
  }
}

interface Shown {
  pick?: QuickPick;
  statusItem?: StatusBarItem;
  /** The labels of the rows of the last quick pick. */
  rows?: string[];
  messages: string[];
  /** The buttons of each message. */
  buttons: string[][];
  documents: Document[];
  panels: WebviewPanel[];
  /** The buttons, rows or paths that the user chooses. */
  answers: string[];
  /** Settings of the extension that the user has made. */
  settings: Record<string, unknown>;
  /** The folder in which the dialog for files was opened, if it was named. */
  openedIn?: string | undefined;
  terminals: Terminal[];
}

/** A terminal, and what was typed into it. */
export class Terminal {
  readonly typed: string[] = [];
  visible = false;

  constructor(
    readonly options: { readonly name: string; readonly cwd: string; readonly env: object },
  ) {
    shown.terminals.push(this);
  }

  show(): void {
    this.visible = true;
  }

  /** Type a text; without Enter, the command is not run. */
  sendText(text: string, shouldExecute = true): void {
    this.typed.push(shouldExecute ? text : `${text} (not run)`);
  }
}

/** What the user sees: the quick pick shown last, the messages, the documents; and what they choose. */
export const shown: Shown = {
  messages: [],
  buttons: [],
  documents: [],
  panels: [],
  answers: [],
  settings: {},
  terminals: [],
};

function tell(message: string, ...items: unknown[]): Promise<string | undefined> {
  shown.messages.push(message);
  shown.buttons.push(items.filter((item) => typeof item === "string"));
  return Promise.resolve(shown.answers.shift());
}

/** The editor's commands that were run, each with its arguments. */
export const ran: unknown[][] = [];

/** The commands that extensions have registered. */
export const registered = new Map<string, (...given: unknown[]) => unknown>();

export const commands = {
  executeCommand: (...command: unknown[]): Promise<void> => {
    ran.push(command);
    return Promise.resolve();
  },
  getCommands: (): Promise<string[]> => Promise.resolve([]),
  registerCommand: (name: string, run: (...given: unknown[]) => unknown): Disposable => {
    registered.set(name, run);
    return new Disposable(() => registered.delete(name));
  },
};

/** A thread of comments that was made, in a list that the editor draws when it is replaced. */
export interface CommentThread {
  readonly uri: Uri;
  range: Range;
  comments: readonly unknown[];
  label?: string;
  dispose(): void;
}

/** The threads of comments that are shown. */
export const threads = new Set<CommentThread>();

export enum CommentMode {
  Editing,
  Preview,
}

export const CommentThreadCollapsibleState = { Expanded: 1 } as const;

export const comments = {
  createCommentController: () => ({
    options: {},
    commentingRangeProvider: undefined as unknown,
    createCommentThread: (uri: Uri, range: Range, all: readonly unknown[]): CommentThread => {
      const thread = {
        ...{ uri, range, comments: all },
        dispose: () => {
          threads.delete(thread);
        },
      };
      threads.add(thread);
      return thread;
    },
    dispose: () => {
      threads.clear();
    },
  }),
};

export enum UIKind {
  Desktop = 1,
  Web,
}

export const env: { remoteName?: string; uiKind: UIKind } = { uiKind: UIKind.Desktop };

/** A tab, in its group. */
export class Tab {
  isActive = true;

  constructor(
    readonly label: string,
    readonly group: TabGroup,
  ) {}
}

/** A part of the editor area. */
export class TabGroup {
  isActive = true;
  tabs: Tab[] = [];

  get activeTab(): Tab | undefined {
    return this.tabs.find(({ isActive }) => isActive);
  }

  /** Open a tab in front of the others. */
  add(label: string): Tab {
    const tab = new Tab(label, this);
    this.tabs.forEach((each) => (each.isActive = false));
    this.tabs.push(tab);
    return tab;
  }
}

/** Fires when tabs are opened, closed or chosen. */
export const tabChanges = new EventEmitter<object>();

export const tabGroups = {
  activeTabGroup: new TabGroup(),
  onDidChangeTabs: tabChanges.event,
  onDidChangeTabGroups: new EventEmitter<object>().event,
  close: ({ group, label }: Tab): Promise<boolean> => {
    group.tabs = group.tabs.filter((each) => each.label !== label || each.isActive);
    return Promise.resolve(true);
  },
};

/** Fires when the selection of a text editor changes; the kind says by what, if not by a program. */
export const selectionChanges = new EventEmitter<{ kind?: number }>();

export const window = {
  tabGroups,
  activeTerminal: undefined as unknown,
  onDidChangeTextEditorSelection: selectionChanges.event,
  activeTextEditor: undefined as unknown,
  createTerminal: (options: Terminal["options"]): Terminal => new Terminal(options),
  createWebviewPanel: (viewType: string): WebviewPanel => new WebviewPanel(viewType),
  registerWebviewPanelSerializer: (): Disposable => Disposable.from(),
  createQuickPick: (): QuickPick => new QuickPick(),
  createStatusBarItem: (): StatusBarItem => {
    shown.statusItem = new StatusBarItem();
    return shown.statusItem;
  },
  state: { focused: true },
  onDidChangeWindowState: focusChanges.event,
  visibleTextEditors: [] as unknown[],
  onDidChangeActiveTextEditor: editorChanges.event,
  createTreeView: () => ({
    visible: false,
    onDidChangeVisibility: new EventEmitter<unknown>().event,
    dispose: () => undefined,
  }),
  showInformationMessage: tell,
  showWarningMessage: tell,
  showErrorMessage: tell,
  showQuickPick: (
    items: readonly { label: string; picked?: boolean }[],
    { canPickMany = false }: { canPickMany?: boolean } = {},
  ) => {
    shown.rows = items.map(({ label }) => label);
    if (canPickMany) {
      return Promise.resolve(items.filter(({ picked }) => picked)); // the user accepts what is checked
    }
    const label = shown.answers.shift();
    return Promise.resolve(items.find((item) => item.label === label));
  },
  showInputBox: () => Promise.resolve(shown.answers.shift()),
  showSaveDialog: () => {
    const path = shown.answers.shift();
    return Promise.resolve(path === undefined ? undefined : Uri.file(path));
  },
  showOpenDialog: ({ defaultUri }: { readonly defaultUri?: Uri } = {}) => {
    shown.openedIn = defaultUri?.fsPath;
    const path = shown.answers.shift();
    return Promise.resolve(path === undefined ? undefined : [Uri.file(path)]);
  },
  showTextDocument: (document: Document) => {
    shown.documents.push(document);
    return Promise.resolve();
  },
  withProgress: <T>(_: object, work: () => Promise<T>): Promise<T> => work(),
};

interface ContentProvider {
  onDidChange?: (listener: (uri: Uri) => void) => Disposable;
  provideTextDocumentContent(uri: Uri): Promise<string>;
}

const providers = new Map<string, ContentProvider>();
const opened = new EventEmitter<Document>();
const closed = new EventEmitter<Document>();

/** Fires when the text of a document is different. */
export const edited = new EventEmitter<{ document: Document }>();

/** Close a document, as the editor does some time after its last tab. */
export function closeDocument(document: Document): void {
  workspace.textDocuments.splice(workspace.textDocuments.indexOf(document), 1);
  closed.fire(document);
}

export const ConfigurationTarget = { Global: 1 } as const;

/** Show the new text of a document; like the editor, ignore one that is not open. */
async function refresh(provider: ContentProvider, uri: Uri): Promise<void> {
  const document = workspace.textDocuments.find(
    ({ uri: own }) => own.toString() === uri.toString(),
  );
  if (document !== undefined) {
    document.text = await provider.provideTextDocumentContent(uri);
  }
}

/** The paths of the files in the open folder. */
export const files: string[] = [];

/** A pattern for paths in a folder. */
export class RelativePattern {
  constructor(
    readonly folder: { readonly uri: Uri },
    readonly pattern: string,
  ) {}
}

export const workspace = {
  findFiles: (_: unknown, excluded?: string, most = Infinity): Promise<Uri[]> => {
    const left = /^\{(.*)\}$/u.exec(excluded ?? "")?.[1]?.split(",") ?? [];
    const found = files.filter((path) => !left.some((folder) => path.startsWith(`${folder}/`)));
    return Promise.resolve(found.slice(0, most).map((path) => Uri.file(`/house/${path}`)));
  },
  getConfiguration: () => ({
    get: (key: string, fallback?: unknown) => shown.settings[key] ?? fallback,
    inspect: (key: string) => ({ globalValue: shown.settings[key] }),
    update: (key: string, value: unknown) => {
      shown.settings[key] = value;
      return Promise.resolve();
    },
  }),
  isTrusted: true,
  workspaceFolders: undefined as readonly { uri: Uri }[] | undefined,
  textDocuments: [] as Document[],
  onDidOpenTextDocument: opened.event,
  onDidCloseTextDocument: closed.event,
  onDidChangeTextDocument: edited.event,
  registerTextDocumentContentProvider: (scheme: string, provider: ContentProvider): Disposable => {
    providers.set(scheme, provider);
    const changes = provider.onDidChange?.((uri) => void refresh(provider, uri));
    return new Disposable(() => {
      changes?.dispose();
      providers.delete(scheme);
    });
  },
  openTextDocument: async (uri: Uri): Promise<Document> => {
    const open = workspace.textDocuments.find(({ uri: own }) => own.toString() === uri.toString());
    if (open !== undefined) {
      return open;
    }
    const text = await providers.get(uri.scheme)?.provideTextDocumentContent(uri);
    const document = new Document(uri, text ?? "");
    workspace.textDocuments.push(document);
    opened.fire(document);
    return document;
  },
  fs: {
    readDirectory: () => Promise.resolve([]),
    isWritableFileSystem: (scheme: string) => (scheme === "file" ? true : undefined),
    writeFile: () => Promise.resolve(),
  },
  asRelativePath: (file: string | Uri): string =>
    (typeof file === "string" ? file : file.path).replace(/^\/house\//, ""),
};

/** Return to the editor as it is at the start of a file of tests: files share a process. */
export function resetEditor(): void {
  shown.pick?.hide();
  for (const key of ["pick", "statusItem", "rows"] as const) {
    Reflect.deleteProperty(shown, key);
  }
  const nothing = {
    messages: [],
    buttons: [],
    documents: [],
    panels: [],
    answers: [],
    terminals: [],
  };
  Object.assign(shown, nothing, { settings: {} });
  Object.assign(env, { remoteName: undefined, uiKind: UIKind.Desktop });
  Object.assign(workspace, { isTrusted: true, workspaceFolders: undefined, textDocuments: [] });
  Object.assign(window, {
    activeTextEditor: undefined,
    visibleTextEditors: [],
    state: { focused: true },
  });
  tabGroups.activeTabGroup = new TabGroup();
  ran.length = 0;
  threads.clear();
  providers.clear();
  for (const emitter of [focusChanges, editorChanges, tabChanges, edited, opened, closed]) {
    emitter.dispose();
  }
}
