import { expect, test } from "vitest";

import { renderMarkdown } from "../../../webview/view/markdown/markdown.js";

function fileOf(source: string): string | undefined {
  return renderMarkdown(source).querySelector<HTMLElement>(".code")?.dataset["file"];
}

test.each([
  "```python title=src/a.py\nx\n```",
  '```python title="src/a.py"\nx\n```',
  "```python:src/a.py\nx\n```",
  "```src/a.py\nx\n```",
  "**src/a.py**:\n\n```python\nx\n```",
  "Here it is.\n`src/a.py`:\n```\nx\n```",
  "### `src/a.py`\n```\nx\n```",
  "File: src/a.py\n\n```\nx\n```",
])("code belongs to the file that its fence or the line before names: %j", (source) => {
  expect(fileOf(source)).toBe("src/a.py");
});

test.each([
  "```python\nx\n```",
  "See src/a.py for more:\n\n```\nx\n```",
  "src/a.py\n\nText.\n\n```\nx\n```",
  "- src/a.py\n\n```\nx\n```",
])("code without such a name belongs to no file: %j", (source) => {
  expect(fileOf(source)).toBeUndefined();
});
