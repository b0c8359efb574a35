import * as vscode from "vscode";

import type { Confirmation } from "./confirmation.js";
import { code, fenced } from "../text/markup.js";

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

/** The editor shows this as Markdown in the chat, and as text in a dialog. */
function markdownOf({ facts, note, quotes }: Confirmation): vscode.MarkdownString {
  const parts = [
    ...facts.map(([name, value]) => `${name}: ${code(value)}`),
    ...(note === undefined ? [] : [note]),
    ...quotes.flatMap(([name, text]) => [`${name}:`, fenced(text)]),
  ];
  return new vscode.MarkdownString(parts.join("\n\n"));
}
