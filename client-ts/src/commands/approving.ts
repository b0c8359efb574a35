import * as vscode from "vscode";

import { askedFacts } from "../text/definitionWords.js";
import { confirm, inform } from "../questions/notify.js";
import type { SubagentInfo } from "../protocol.js";
import { SECTION } from "../service/settings.js";
import { withHiddenShown } from "../questions/unseen.js";
import { oneLine } from "../text/words.js";

const LINE_CHARS = 4_000;

/** Show what a definition asks for and, if the user agrees, let its policy count from now on. */
export async function approve(definition: SubagentInfo): Promise<void> {
  const { approval, name, permissions, shadows, source } = definition;
  if (approval === undefined) {
    throw new Error(`The definition ${name} needs no approval.`);
  }
  const detail = [
    `File: ${source.path}`,
    ...askedFacts(definition),
    ...(shadows === undefined ? [] : [`Hidden: ${shadows}`]),
    "Read the file first. Approval holds until the file changes.",
  ];
  const question = `Approve the policy ${permissions ?? ""} of ${name}?`;
  if (await confirm(question, detail.map(shownLine).join("\n"), "Approve")) {
    await remember(approval);
    void inform(`The policy of ${name} is approved.`);
  }
}

/** Keep a file's words on their line, with their hidden characters in sight. */
function shownLine(text: string): string {
  return oneLine(withHiddenShown(text), LINE_CHARS);
}

async function remember(approval: string): Promise<void> {
  const config = vscode.workspace.getConfiguration(SECTION);
  const approved = new Set([...config.get<string[]>("approvedAgents", []), approval]);
  await config.update("approvedAgents", [...approved], vscode.ConfigurationTarget.Global);
}
