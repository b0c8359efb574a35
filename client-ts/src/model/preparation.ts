import * as vscode from "vscode";

import type { Confirmation } from "./confirmation.js";

/** Return what the editor shows before and while a tool runs. Nothing in it becomes a link or an icon. */
export function preparation(
  invocationMessage: string,
  confirmation?: Confirmation,
): vscode.PreparedToolInvocation {
  return {
    invocationMessage: new vscode.MarkdownString().appendText(invocationMessage),
    ...(confirmation === undefined
      ? {}
      : { confirmationMessages: { title: confirmation.title, message: markdownOf(confirmation) } }),
  };
}

function markdownOf({ quotes, facts, note }: Confirmation): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  for (const quote of quotes) {
    text.appendMarkdown(`${fenced(quote)}\n\n`);
  }
  for (const [name, value] of facts) {
    text.appendMarkdown(`- **${name}:** `).appendText(value).appendMarkdown("\n");
  }
  if (note !== undefined) {
    text.appendMarkdown("\n").appendText(note);
  }
  return text;
}

/** Put text into a code block that nothing in it can end. */
function fenced(text: string): string {
  const runs = [...text.matchAll(/`+/gu)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}text\n${text}\n${fence}`;
}
