// What jsdom lacks of a browser: it has no layout, so nothing is scrolled or resized.
Element.prototype.scrollIntoView = () => undefined;

globalThis.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
