import { type Kind, KINDS } from "./syntax.js";
import { type CodeToken, tokensOf } from "./tokens.js";

/** Longer code stays in one color: coloring it would take longer than a frame has, in characters. */
const MOST_CHARS = 10_000;
/** Code is colored once it has not changed for this long, in ms: each piece of a message renders it again. */
const QUIET_MS = 400;

/** Code in view, with its colors. */
interface Colored {
  readonly code: string;
  readonly language: string;
  readonly tokens: readonly CodeToken[];
  readonly ranges: readonly (readonly [Kind, StaticRange])[];
}

/**
 * Colors code while it is in view.
 *
 * Colors are highlights of the browser, not elements, so they change neither text nor layout.
 */
class CodeColors {
  readonly #highlights = new Map(KINDS.map((kind) => [kind, new Highlight()]));
  readonly #languages = new WeakMap<Element, string>();
  readonly #colored = new Map<Element, Colored>();
  readonly #waiting = new Map<Element, ReturnType<typeof setTimeout>>();
  readonly #view = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      if (isIntersecting) {
        this.#await(target);
      } else {
        this.#drop(target);
      }
    }
  });

  constructor() {
    for (const [kind, highlight] of this.#highlights) {
      CSS.highlights.set(`code-${kind}`, highlight);
    }
  }

  /** Color this code whenever it is in view, and at once if the same code is. */
  watch(element: Element, language: string): void {
    const code = element.textContent;
    if (code.length > MOST_CHARS) {
      return;
    }
    this.#languages.set(element, language);
    for (const known of this.#colored.values()) {
      if (known.code === code && known.language === language) {
        this.#color(element, known.tokens);
        break;
      }
    }
    this.#view.observe(element);
  }

  /** Wait with a timer for each element, so that the page can draw between two of them. */
  #await(element: Element): void {
    if (!this.#colored.has(element) && !this.#waiting.has(element)) {
      const color = (): void => {
        this.#waiting.delete(element);
        this.#color(element);
      };
      this.#waiting.set(element, setTimeout(color, QUIET_MS));
    }
  }

  #color(element: Element, known?: readonly CodeToken[]): void {
    const [language, text] = [this.#languages.get(element), element.firstChild];
    if (language === undefined || !(text instanceof Text)) {
      return;
    }
    const tokens = known ?? tokensOf(text.data, language);
    const ranges = tokens.map(({ kind, start, end }) => [kind, rangeOf(text, start, end)] as const);
    for (const [kind, range] of ranges) {
      this.#highlights.get(kind)?.add(range);
    }
    this.#colored.set(element, { code: text.data, language, tokens, ranges });
  }

  #drop(element: Element): void {
    clearTimeout(this.#waiting.get(element));
    this.#waiting.delete(element);
    for (const [kind, range] of this.#colored.get(element)?.ranges ?? []) {
      this.#highlights.get(kind)?.delete(range);
    }
    this.#colored.delete(element);
  }
}

function rangeOf(text: Text, startOffset: number, endOffset: number): StaticRange {
  return new StaticRange({ startContainer: text, startOffset, endContainer: text, endOffset });
}

let colors: CodeColors | undefined;

/** Color code whenever it is in view; very long code stays as it is. */
export function colorCode(element: Element, language: string): void {
  colors ??= new CodeColors();
  colors.watch(element, language);
}
