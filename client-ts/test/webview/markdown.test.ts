import fc from "fast-check";
import { expect, test } from "vitest";

import { renderMarkdown } from "../../webview/view/markdown.js";

test("Markdown becomes elements", () => {
  const { innerHTML } = renderMarkdown("# Title\n\n- *a*\n\n```ts\nlet b;\n```\n\n|c|\n|:-:|\n|d|");
  for (const tag of ["<h1>", "<li>", "<em>", "<pre>", "<td>"]) {
    expect(innerHTML).toContain(tag);
  }
});

test("HTML of the subagent is shown as text", () => {
  const hostile = `<img src=x onerror=alert(1)> <script>alert(1)</script> <b style="color:red">b</b>`;
  const element = renderMarkdown(hostile);
  expect(element.textContent.trim()).toBe(hostile);
  expect(element.querySelectorAll("img, script, b")).toHaveLength(0);
});

test.each([
  "[a](javascript:alert(1))",
  "[a](command:workbench.action.quit)",
  "[a](vscode://x/y)",
  "[a](data:text/html,x)",
  "[a](file:///etc/passwd)",
  "[a](//example.org)",
  "<command:x>",
])("%s is no link", (source) => {
  const element = renderMarkdown(source);
  expect(element.querySelector("a")).toBeNull();
  expect(element.textContent.trim()).toBe(source);
});

test("a web link is one, and says where it leads", () => {
  const link = renderMarkdown("[home](https://example.org/a)").querySelector("a");
  expect(link?.getAttribute("href")).toBe("https://example.org/a");
  expect(link?.title).toBe("https://example.org/a");
});

test("nothing is loaded and nothing styled, whatever the text", () => {
  const piece = fc.constantFrom(
    "<svg onload=x>",
    "![i](https://e.org/i.png)",
    "|a|\n|:-:|\n|b|\n",
    "`",
    "**",
    "<style>",
    "](",
    "[a",
    '"onx=',
    "<a href='javascript:x'>",
    "\n\n",
    "- ",
    "&lt;",
    "\u0000",
    "<iframe src=//e.org>",
    "<form action=x>",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const element = renderMarkdown(pieces.join(""));
      expect(
        element.querySelector("img, svg, script, style, iframe, form, input, [style], [id]"),
      ).toBeNull();
      const attributes = [...element.querySelectorAll("*")].flatMap((each) =>
        each.getAttributeNames(),
      );
      expect(attributes.filter((name) => !["href", "start", "title"].includes(name))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
