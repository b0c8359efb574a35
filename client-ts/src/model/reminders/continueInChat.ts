import * as vscode from "vscode";

import type { AsyncTask } from "../../protocol.js";
import { inform, showError } from "../../questions/notify.js";
import type { SubagentService } from "../../service/service.js";
import { SECTION } from "../../service/settings.js";
import { messageOf } from "../../util/errors.js";
import { isOfEditor, isOfOtherWindow } from "../../windows/owner.js";
import { fenced, named } from "../text/markup.js";
import type { Reminders } from "./reminders.js";
import { turns as words } from "../text/strings.js";
import { type Decision, Turns } from "./turns.js";

/** The setting that turns the notification off. */
const SETTING = "notifyChat";
const MOST_NAMES = 3;

/**
 * Offer to continue the chat when subagents have ended that it launched; of those that `isElsewhere` names,
 * another extension reminds its model.
 */
export function continueInChat(
  service: Pick<SubagentService, "tasks">,
  reminders: Reminders,
  isElsewhere: (task: AsyncTask) => boolean,
): Turns {
  return new Turns({
    reminders,
    isWanted: () => wantsToContinue() && vscode.workspace.isTrusted,
    taskOf: (id) => service.tasks.get(id),
    isOwn: (task) => isOfEditor(task) && !isOfOtherWindow(task) && !isElsewhere(task),
    offer,
    openChat,
    turnOff: () => configuration().update(SETTING, "never", vscode.ConfigurationTarget.Global),
    failed: (error) => void showError(error),
  });
}

/** Whether the user wants the notification. */
export function wantsToContinue(): boolean {
  return configuration().get<string>(SETTING, "always") === "always";
}

async function offer(ended: readonly AsyncTask[]): Promise<Decision> {
  const names = [...new Set(ended.map(({ subagentName }) => named(subagentName)))];
  const shown = names.slice(0, MOST_NAMES).join(", ");
  const line = words.ended(names.length > MOST_NAMES ? `${shown}, …` : shown, ended.length);
  const chosen = await inform(line, words.continue, words.never);
  return chosen === words.continue ? "continue" : chosen === words.never ? "never" : "dismissed";
}

/** Send a text to the chat as its next message; a draft in its input stays. */
async function openChat(reminder: string): Promise<void> {
  try {
    const query = chatMessage(reminder);
    const options = { query, preserveInput: true };
    await vscode.commands.executeCommand("workbench.action.chat.open", options);
  } catch (error) {
    throw new Error(words.noChat(messageOf(error)), { cause: error });
  }
}

/** Return the message that carries a reminder. No word in it attaches a file or a tool to the message. */
export function chatMessage(reminder: string): string {
  const plain = reminder.replace(
    /(?<=^|\s)[#@/](?=\w)/gu,
    (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
  );
  return `${words.prompt}\n\n${fenced(plain)}`;
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SECTION);
}
