import type { PanelSession } from "../panel/panelSession.js";
import { inform } from "../questions/notify.js";
import * as strings from "../text/strings.js";
import { askTurn } from "./turnPick.js";

type Page = Pick<PanelSession, "show" | "turns">;

/** What has the pages that may show a conversation. */
export interface ConversationSurface {
  /** The page of the conversation in front. */
  readonly page: Page | undefined;
  /** Give it the keyboard focus. */
  focus(): Promise<void>;
}

/** The commands on the conversation in front, by their ids. */
export function conversationCommands(surface: ConversationSurface) {
  return {
    "subagentSidecar.conversation.find": () => find(surface),
    "subagentSidecar.conversation.goToTime": () => goToTime(surface),
  };
}

async function find(surface: ConversationSurface): Promise<void> {
  const { page } = surface;
  if (page === undefined) {
    await inform(strings.runs.noConversation);
  } else {
    await surface.focus();
    page.show({ type: "find" });
  }
}

/** Show the turn that the user chooses by its time. */
async function goToTime(surface: ConversationSurface): Promise<void> {
  const { page } = surface;
  const turns = page?.turns ?? [];
  if (page === undefined || turns.length === 0) {
    void inform(page === undefined ? strings.runs.noConversation : strings.runs.noTurns);
    return;
  }
  const seq = await askTurn(turns);
  if (seq !== undefined) {
    await surface.focus();
    page.show({ type: "jumpTo", seq });
  }
}
