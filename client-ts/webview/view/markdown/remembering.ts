/** Renders an element once for each key, so that only changes are rendered again. */
export interface Remembering<K extends object> {
  (key: K): HTMLElement;
  /** Whether it has rendered the element of a key. */
  has(key: K): boolean;
}

/** Remember what is rendered, as long as its key is used. */
export function remembering<K extends object>(render: (key: K) => HTMLElement): Remembering<K> {
  const rendered = new WeakMap<K, HTMLElement>();
  const elementOf = (key: K): HTMLElement => {
    const known = rendered.get(key) ?? render(key);
    rendered.set(key, known);
    return known;
  };
  return Object.assign(elementOf, { has: (key: K) => rendered.has(key) });
}

/** A text that is shown soon, and how expensive it is to render; see `weightOf`. */
export interface Unrendered {
  readonly weight: number;
  /** Render it, so that it only has to be put into its place when it is shown. */
  render(): void;
}
