import * as vscode from "vscode";

/** Lay out facts as a tooltip; what is absent is left out, and no text is taken as Markdown. */
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
