import * as vscode from "vscode";

/** Format facts as a tooltip; absent ones are omitted, and no text is interpreted as Markdown. */
export function tooltip(
  title: string,
  facts: readonly (readonly [name: string, value: string | undefined])[],
): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(title);
  for (const [name, value] of facts) {
    if (value !== undefined && value !== "") {
      text.appendMarkdown(`\n\n**${name}:** `).appendText(value);
    }
  }
  return text;
}
