import type { Memento } from "vscode";

/** A place to keep things, as the editor gives one to an extension. */
export class FakeMemento implements Memento {
  readonly values = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.values.keys()];
  }

  get<T>(key: string, fallback?: T): T {
    return (this.values.get(key) ?? fallback) as T;
  }

  update(key: string, value: unknown): Promise<void> {
    this.values.set(key, JSON.parse(JSON.stringify(value)));
    return Promise.resolve();
  }
}
