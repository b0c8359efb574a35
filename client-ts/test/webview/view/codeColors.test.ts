import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** Says in place of the browser what is in view. */
let report: (target: Element, isIntersecting: boolean) => void = () => undefined;
let renderMarkdown: (source: string) => HTMLElement;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  CSS.highlights.clear();
  vi.stubGlobal(
    "IntersectionObserver",
    class extends IntersectionObserver {
      constructor(callback: IntersectionObserverCallback) {
        super(callback);
        report = (target, isIntersecting) => {
          callback([{ target, isIntersecting } as IntersectionObserverEntry], this);
        };
      }
    },
  );
  ({ renderMarkdown } = await import("../../../webview/view/markdown/markdown.js"));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function fence(code: string, language = "ts"): Element {
  const element = renderMarkdown(`\`\`\`${language}\n${code}\n\`\`\``).querySelector("pre code");
  if (element === null) {
    throw new Error("no code");
  }
  return element;
}

/** The texts with this color. */
function colored(kind: string): string[] {
  return [...(CSS.highlights.get(`code-${kind}`) ?? [])].map(
    ({ startContainer, startOffset, endOffset }) =>
      startContainer.textContent?.slice(startOffset, endOffset) ?? "",
  );
}

test("code is colored when it is in view and no longer changes, not before", () => {
  const code = fence("let a = 1;");
  vi.runAllTimers();
  expect(colored("keyword")).toEqual([]);
  report(code, true);
  expect(colored("keyword")).toEqual([]);
  vi.runAllTimers();
  expect(colored("keyword")).toEqual(["let"]);
  expect(colored("number")).toEqual(["1"]);
});

test("code out of view has no colors, and gets them again", () => {
  const code = fence("let a;");
  report(code, true);
  vi.runAllTimers();
  report(code, false);
  expect(colored("keyword")).toEqual([]);
  report(code, true);
  vi.runAllTimers();
  expect(colored("keyword")).toEqual(["let"]);
});

test("code that leaves the view before its time is not colored", () => {
  const code = fence("let a;");
  report(code, true);
  report(code, false);
  vi.runAllTimers();
  expect(colored("keyword")).toEqual([]);
});

test("finished code of a growing message keeps its colors", () => {
  const code = fence("let a;");
  report(code, true);
  vi.runAllTimers();
  const again = fence("let a;");
  expect(colored("keyword")).toEqual(["let", "let"]);
  report(again, false);
  expect(colored("keyword")).toEqual(["let"]);
});

test("code in view is colored once, however often it is reported", () => {
  const code = fence("let a;");
  report(code, true);
  vi.runAllTimers();
  report(code, true);
  vi.runAllTimers();
  expect(colored("keyword")).toEqual(["let"]);
});

test("very long code and code in an unknown language stay in one color", () => {
  for (const code of [fence("let a;\n".repeat(2_000)), fence("let a;", "mermaid")]) {
    report(code, true);
  }
  vi.runAllTimers();
  expect(colored("keyword")).toEqual([]);
});

test("colors add no elements and no words", () => {
  const code = fence("let a = 1; // b");
  report(code, true);
  vi.runAllTimers();
  expect(code.childElementCount).toBe(0);
  expect(code.textContent).toBe("let a = 1; // b\n");
});
