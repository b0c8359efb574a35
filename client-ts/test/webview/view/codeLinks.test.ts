// Links in code are readable: a theme chooses their color for the page, not for the background of code.
/// <reference types="vite/client" />
import { afterEach, beforeEach, expect, test } from "vitest";

import markdown from "../../../webview/styles/markdown.css?raw";
import controls from "../../../webview/styles/controls.css?raw";
import { renderMarkdown } from "../../../webview/view/markdown/markdown.js";

/** As in High Contrast Light: dark blue links, and code on another dark blue. */
const THEME = {
  "--vscode-textLink-foreground": "rgb(15, 74, 133)",
  "--vscode-textPreformat-foreground": "rgb(255, 255, 255)",
  "--vscode-textPreformat-background": "rgb(9, 52, 95)",
};

beforeEach(() => {
  const sheet = Object.entries(THEME).reduce(
    (css, [name, color]) => css.replaceAll(`var(${name})`, color),
    `${controls}\n${markdown}`,
  );
  document.head.innerHTML = `<style>${sheet}</style>`;
  document.body.style.color = "rgb(41, 41, 41)";
});

afterEach(() => {
  document.head.innerHTML = "";
  document.body.removeAttribute("style");
});

/** Return the colors of the text of code, behind it, and of its link or the link around it. */
function colors(source: string): readonly (string | undefined)[] {
  document.body.replaceChildren(renderMarkdown(source));
  const [code, link] = ["code", "a, .file"].map((selector) => {
    const element = document.querySelector(selector);
    return element === null ? undefined : getComputedStyle(element);
  });
  return [code?.color, code?.backgroundColor, link?.color];
}

const LINK = THEME["--vscode-textLink-foreground"];
const CLEAR = "rgba(0, 0, 0, 0)";

test.each(["See `src/days.py:2`", "See `src/days.py`"])(
  "a file in code is readable: %s",
  (source) => {
    expect(colors(source)).toEqual(["rgb(41, 41, 41)", CLEAR, LINK]);
  },
);

test.each(["See [`days`](src/days.py)", "See [`days`](https://example.com)"])(
  "code in a link is readable: %s",
  (source) => {
    expect(colors(source)).toEqual([LINK, CLEAR, LINK]);
  },
);

test("other code keeps the colors of the theme", () => {
  expect(colors("See `days`")).toEqual([
    THEME["--vscode-textPreformat-foreground"],
    THEME["--vscode-textPreformat-background"],
    undefined,
  ]);
});
