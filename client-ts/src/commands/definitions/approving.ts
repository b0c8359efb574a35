import * as vscode from "vscode";

import { askedFacts } from "../../text/definitionWords.js";
import { confirm, inform } from "../../questions/notify.js";
import type { SubagentInfo } from "../../protocol.js";
import { SECTION } from "../../service/settings.js";
import { withHiddenShown } from "../../text/unseen.js";
import { oneLine } from "../../text/words.js";
import * as strings from "../../text/strings.js";

const LINE_CHARS = 4_000;

/** Show what a definition asks for and, if the user agrees, apply its policy from now on. */
export async function approve(definition: SubagentInfo): Promise<void> {
  const { approval, name, permissions, shadows, source } = definition;
  if (approval === undefined) {
    throw new Error(strings.definitions.noApproval(name));
  }
  const detail = [
    strings.definitions.file(source.path),
    ...askedFacts(definition),
    ...(shadows === undefined ? [] : [strings.definitions.hides(shadows)]),
    strings.definitions.approveAdvice,
  ];
  const question = strings.definitions.approveQuestion(permissions ?? "", name);
  const text = detail.map(visibleLine).join("\n");
  if (await confirm(question, text, strings.definitions.approveButton)) {
    await remember(approval);
    void inform(strings.definitions.approved(name));
  }
}

/** Keep a file's text on one line, with hidden characters made visible. */
function visibleLine(text: string): string {
  return oneLine(withHiddenShown(text), LINE_CHARS);
}

async function remember(approval: string): Promise<void> {
  const config = vscode.workspace.getConfiguration(SECTION);
  const approved = new Set([...config.get<string[]>("approvedAgents", []), approval]);
  await config.update("approvedAgents", [...approved], vscode.ConfigurationTarget.Global);
}
