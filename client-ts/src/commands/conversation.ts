import type { PanelSession } from "../panel/panelSession.js";
import { inform } from "../questions/notify.js";
import * as strings from "../text/strings.js";

/** What has the page of the conversation in front. */
export interface ConversationSurface {
  readonly page: Pick<PanelSession, "show"> | undefined;
}

/** The commands on the conversation in front, by their ids. */
export function conversationCommands(surface: ConversationSurface) {
  return {
    "subagentSidecar.conversation.find": () => {
      find(surface);
    },
  };
}

function find({ page }: ConversationSurface): void {
  if (page === undefined) {
    void inform(strings.runs.noConversation);
  } else {
    page.show({ type: "find" });
  }
}
