// What jsdom lacks of a browser: it has no layout, so nothing is scrolled, resized or in view, and no window.
document.hasFocus = () => true;
Element.prototype.scrollIntoView = () => undefined;

globalThis.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

globalThis.IntersectionObserver = class implements IntersectionObserver {
  readonly root = null;
  readonly rootMargin = "";
  readonly scrollMargin = "";
  readonly thresholds = [];

  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}

  takeRecords(): IntersectionObserverEntry[] {
    return [];
  }
};

/** Ranges of text that the browser colors. */
class TextHighlight extends Set<AbstractRange> {
  readonly priority = 0;
  readonly type = "highlight";
}
Object.assign(globalThis, {
  Highlight: TextHighlight,
  CSS: { highlights: new Map<string, Highlight>() },
});

// A range is where its element is.
Range.prototype.getBoundingClientRect = function (this: Range) {
  return this.startContainer.parentElement?.getBoundingClientRect() ?? new DOMRect();
};
