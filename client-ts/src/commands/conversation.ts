import { commands } from "vscode";

import type { PanelSession } from "../panel/panelSession.js";
import { inform } from "../questions/notify.js";
import * as strings from "../text/strings.js";
import { askTurn } from "./turnPick.js";

type Page = Pick<PanelSession, "show" | "turns">;

/** What has the pages that may show a conversation. */
export interface ConversationSurface {
  /** The page of the conversation in front. */
  readonly page: Page | undefined;
  /** The page of the side bar, whose key does not mean an editor next to it. */
  readonly sideBar: Page | undefined;
}

/** The argument of the key that was pressed in the side bar. */
const SIDE_BAR = "sideBar";

/** The commands on the conversation in front, by their ids. */
export function conversationCommands(surface: ConversationSurface) {
  return {
    "subagentSidecar.conversation.find": async (place?: unknown) => {
      await (place === SIDE_BAR ? findInSideBar(surface) : find(surface));
    },
    "subagentSidecar.conversation.goToTime": () => goToTime(surface),
  };
}

async function find({ page }: Pick<ConversationSurface, "page">): Promise<void> {
  if (page === undefined) {
    await inform(strings.runs.noConversation);
  } else {
    page.show({ type: "find" });
  }
}

/** Search the conversation in the side bar; where the list is shown, filter it. */
async function findInSideBar({ sideBar: page }: ConversationSurface): Promise<void> {
  if (page?.turns === undefined) {
    await commands.executeCommand("subagentSidecar.history.filter");
  } else {
    await find({ page });
  }
}

/** Show the turn that the user chooses by its time. */
async function goToTime({ page }: ConversationSurface): Promise<void> {
  const turns = page?.turns ?? [];
  if (page === undefined || turns.length === 0) {
    void inform(page === undefined ? strings.runs.noConversation : strings.runs.noTurns);
    return;
  }
  const seq = await askTurn(turns);
  if (seq !== undefined) {
    page.show({ type: "jumpTo", seq });
  }
}
