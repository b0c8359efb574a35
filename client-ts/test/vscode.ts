// What the tested modules use of the editor's API, as plain objects.
import { EventEmitter as NodeEmitter } from "node:events";

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
  readonly #emitter = new NodeEmitter();

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
  value = "";

  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~<>]/g, "\\$&");
    return this;
  }

  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
}

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

  show(): void {
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

/** What the user sees: the quick pick shown last, the messages; and the buttons or rows they choose. */
export const shown: { pick?: QuickPick; messages: string[]; answers: string[] } = {
  messages: [],
  answers: [],
};

function tell(message: string): Promise<string | undefined> {
  shown.messages.push(message);
  return Promise.resolve(shown.answers.shift());
}

export const window = {
  createQuickPick: (): QuickPick => new QuickPick(),
  showInformationMessage: tell,
  showWarningMessage: tell,
  showQuickPick: (items: readonly { label: string }[]) => {
    const label = shown.answers.shift();
    return Promise.resolve(items.find((item) => item.label === label));
  },
};

export const workspace = {
  asRelativePath: (path: string): string => path.replace(/^\/house\//, ""),
};
