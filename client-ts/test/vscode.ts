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
