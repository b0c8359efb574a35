import { onTestFinished, vi } from "vitest";

/**
 * Arrange the conversation, which jsdom does not: elements are stacked, as high as the first selector
 * that matches them says, in CSS pixels; others are as high as their children. It lasts until the end
 * of the test. As in a browser, it is scrolled by whole pixels. Returns the view, whose height can change.
 */
export function arrange(
  height: number,
  heights: Readonly<Record<string, number>>,
): { height: number } {
  const view = { height };
  const heightOf = (element: Element): number => {
    const known = Object.entries(heights).find(([selector]) => element.matches(selector));
    const height = known === undefined ? contentOf(element) : known[1];
    return height + marginOf(element);
  };
  const offsetOf = (element: Element): number => {
    let offset = marginOf(element);
    for (let at = element; at.id !== "scroller" && at.parentElement !== null;) {
      const above = at.previousElementSibling;
      offset += above === null ? marginOf(at.parentElement) : heightOf(above);
      at = above ?? at.parentElement;
    }
    return offset;
  };
  const contentOf = (element: Element): number => sumOf([...element.children].map(heightOf));
  let scrollTop = 0;
  const most = (): number => {
    const scroller = document.querySelector("#scroller");
    return scroller === null ? 0 : Math.max(0, contentOf(scroller) - view.height);
  };
  vi.spyOn(Element.prototype, "clientHeight", "get").mockImplementation(() => view.height);
  vi.spyOn(Element.prototype, "scrollHeight", "get").mockImplementation(function (this: Element) {
    return Math.max(view.height, contentOf(this));
  });
  replaceScrollTop({
    get: () => (scrollTop = Math.min(scrollTop, most())),
    set: (top: number) => {
      scrollTop = Math.round(Math.max(0, Math.min(top, most())));
    },
  });
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    return this.id === "scroller"
      ? new DOMRect(0, 0, 300, view.height)
      : new DOMRect(0, offsetOf(this) - Math.min(scrollTop, most()), 300, heightOf(this));
  });
  return view;
}

function marginOf(element: Element): number {
  return element instanceof HTMLElement ? Number.parseFloat(element.style.marginTop) || 0 : 0;
}

/** Replace both accessors at once: of two spies on one property, only one would be removed. */
function replaceScrollTop(accessors: { get: () => number; set: (top: number) => void }): void {
  const original = Object.getOwnPropertyDescriptor(Element.prototype, "scrollTop");
  Object.defineProperty(Element.prototype, "scrollTop", { configurable: true, ...accessors });
  onTestFinished(() => {
    Object.defineProperty(Element.prototype, "scrollTop", original ?? {});
  });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
