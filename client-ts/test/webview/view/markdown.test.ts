import fc from "fast-check";
import { expect, test } from "vitest";

import { onMarkdownClick } from "../../../webview/view/markdown/clicks.js";
import { renderMarkdown } from "../../../webview/view/markdown/markdown.js";

test("Markdown becomes elements", () => {
  const { innerHTML } = renderMarkdown("# Title\n\n- *a*\n\n```ts\nlet b;\n```\n\n|c|\n|:-:|\n|d|");
  for (const tag of ["<h1", "<li", "<em", "<pre", "<td"]) {
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
  "[a](\\\\\\\\host\\\\share\\\\a.py)",
  "[a](#section)",
  "[a](mailto:ada@example.org)",
  "[a](command:12)",
  "<command:x>",
])("%s is not a link", (source) => {
  const element = renderMarkdown(source);
  expect(element.querySelector("a, button")).toBeNull();
  expect(element.textContent.trim()).toBe(source.replaceAll("\\\\", "\\"));
});

test("a web link is one, and says where it leads", () => {
  const link = renderMarkdown("[home](https://example.org/a)").querySelector("a");
  expect(link?.getAttribute("href")).toBe("https://example.org/a");
  expect(link?.title).toBe("https://example.org/a");
});

test("an image is a link to it, by its words", () => {
  const element = renderMarkdown("See ![A picture](https://example.org/a.png).");
  expect(element.querySelector("a")?.href).toBe("https://example.org/a.png");
  expect(element.textContent.trim()).toBe("See A picture.");
});

test("of an image without an address only its words are shown", () => {
  const element = renderMarkdown("See ![A chart](data:image/png;base64,iVBORw0KGgo=).");
  expect(element.textContent.trim()).toBe("See A chart.");
  expect(element.querySelector("[href], button")).toBeNull();
});

test("addresses are links, names with a dot are not", () => {
  const element = renderMarkdown("https://example.org/a and example.org and main.py");
  expect(element.querySelectorAll("a")).toHaveLength(1);
});

test("a task list has boxes, which say what is done", () => {
  const element = renderMarkdown("- [x] one\n- [ ] two\n- three [x]");
  const boxes = [...element.querySelectorAll<HTMLInputElement>("li > input")];
  expect(boxes.map(({ checked, disabled }) => [checked, disabled])).toEqual([
    [true, true],
    [false, true],
  ]);
  expect(element.textContent).not.toContain("[ ]");
});

test("a list begins with its own number", () => {
  expect(renderMarkdown("3. a\n4. b").querySelector("ol")?.start).toBe(3);
});

test("a quote and an item have the direction of the text that they begin with", () => {
  const element = renderMarkdown("> שלום\n>\n> Hello\n\n- שלום\n\n  Hello");
  const dirs = (selector: string) =>
    [...element.querySelectorAll(selector)].map((each) => each.getAttribute("dir"));
  expect(dirs("blockquote, li")).toEqual(["auto", "auto"]);
  expect(dirs("p")).toEqual([null, "auto", null, "auto"]);
});

test("each block has the direction of its own script", () => {
  const { children } = renderMarkdown("Latin\n\nשלום\n\n- a");
  expect([...children].map((each) => each.getAttribute("dir"))).toEqual(["auto", "auto", null]);
});

test.each([
  ["See src/days.py:2 there", "src/days.py", "2"],
  ["days.py:12:5: error", "days.py", "12"],
  ["in `src/a-b/days.py`", "src/a-b/days.py", undefined],
  ["in `days.py:7`", "days.py", "7"],
  ["lines src/days.py:7-12 of it", "src/days.py", "7"],
  ["see src/days.py#L7-L12.", "src/days.py", "7"],
  ["[the days](src/days.py)", "src/days.py", undefined],
  ["[the days](src/days.py#L30)", "src/days.py", "30"],
  ["[`days.py:30`](days.py:30:4)", "days.py", "30"],
  ["[days](/home/ada/shop/src/days.py:31)", "/home/ada/shop/src/days.py", "31"],
  ["[days](C:/shop/days.py#L3-L9)", "C:/shop/days.py", "3"],
  ["[days](<src/my days.py>)", "src/my days.py", undefined],
  ["[days](src/my%20days.py:2)", "src/my days.py", "2"],
  ["![chart](docs/chart.png)", "docs/chart.png", undefined],
])("%s names a place that can be opened", (source, path, line) => {
  const button = renderMarkdown(source).querySelector("button");
  expect(button?.dataset["path"]).toBe(path);
  expect(button?.dataset["line"]).toBe(line);
});

test("a link into a file shows its words, and where it leads", () => {
  const element = renderMarkdown("See [the **days**](src/days.py#L30), ");
  expect(element.textContent.trim()).toBe("See the days,");
  expect(element.querySelector("button")?.title).toBe("Open src/days.py:30");
});

test.each(["at 10:30", "v1.2:3x", "http://a.b:80/", "`a.b`", "e.g.: x"])(
  "%s names no file",
  (source) => {
    expect(renderMarkdown(source).querySelector("button")).toBeNull();
  },
);

test("code can be copied, and is read from left to right", () => {
  const element = renderMarkdown("```\nx = 1\n```");
  expect(element.querySelector(".code .copy")).not.toBeNull();
  expect(element.querySelector("pre")?.dir).toBe("ltr");
});

test("code is inserted unchanged", () => {
  const sent: unknown[] = [];
  const element = renderMarkdown("```ts\nlet a;\n\n  b();\n```");
  element.addEventListener("click", (event) => {
    onMarkdownClick(event, "t", (message) => sent.push(message));
  });
  element.querySelector<HTMLElement>(".insert")?.click();
  expect(sent).toEqual([{ type: "insertCode", text: "let a;\n\n  b();\n" }]);
});

test("of the words after a fence only a known language is kept", () => {
  const [known, unknown] = renderMarkdown(
    '```ts onclick="x"\na\n```\n\n```"><b>\na\n```',
  ).querySelectorAll("code");
  expect(known?.getAttributeNames()).toEqual(["data-language"]);
  expect(unknown?.getAttributeNames()).toEqual([]);
});

/** What the page itself may set; of these only the address is the stranger's, and it is checked. */
const OWN = [
  ...["href", "start", "title", "dir", "class", "type", "aria-label", "aria-hidden"],
  ...["data-path", "data-line", "data-language", "disabled", "checked"],
  ...["data-image", "alt", "hidden"],
];

test("code of very long lines is wrapped, that of others is not", () => {
  const [short, long] = renderMarkdown(
    `\`\`\`\nlet a;\n\`\`\`\n\n\`\`\`\n${"x".repeat(2_000)}\n\`\`\``,
  ).querySelectorAll("pre");
  expect(short?.className).toBe("");
  expect(long?.className).toBe("wrapped");
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
    "](src/a.py#L2)",
    "](/etc/passwd)",
    "](data:image/svg+xml,<svg>)",
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
        element.querySelector(
          "img[src], img:not(.picture), svg, script, style, iframe, form, [style], [id]",
        ),
      ).toBeNull();
      const attributes = [...element.querySelectorAll("*")].flatMap((each) =>
        each.getAttributeNames(),
      );
      expect(attributes.filter((name) => !OWN.includes(name))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ["a table of many columns", "|" + "a|".repeat(2_000) + "\n|" + "-|".repeat(2_000) + "\n|b|"],
  ["very many short items", "- a\n".repeat(2_000)],
  ["emphasis in emphasis", "*a".repeat(4_000)],
])("%s is shown as it was written", (_, source) => {
  const element = renderMarkdown(source);
  expect(element.querySelectorAll("*").length).toBeLessThan(10);
  expect(element.querySelector("pre")?.textContent).toBe(source);
});
