import { expect, test } from "vitest";
import type { WebviewPanel as EditorPanel } from "vscode";

import { ConversationEditors } from "../../../src/agents/conversationEditors.js";
import type { PageContext } from "../../../src/agents/pages.js";
import { WebviewPanel } from "../../vscode.js";

test.each([undefined, null, {}, { taskId: 3 }])(
  "a tab of the earlier window that kept %j is closed, because nobody knows its conversation",
  async (state) => {
    const editors = new ConversationEditors({} as PageContext);
    const panel = new WebviewPanel("subagentSidecar.conversation");
    let isClosed = false;
    panel.onDidDispose(() => {
      isClosed = true;
    });
    await editors.deserializeWebviewPanel(panel as unknown as EditorPanel, state);
    expect(isClosed).toBe(true);
    editors.dispose();
  },
);
