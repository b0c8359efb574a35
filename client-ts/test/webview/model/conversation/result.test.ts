import { expect, test } from "vitest";

import {
  applyEvents,
  type Conversation,
  EMPTY_CONVERSATION,
} from "../../../../webview/model/conversation/conversation.js";
import { lastMessageAt } from "../../../../webview/model/conversation/result.js";
import { message, numbered, tool } from "../../samples.js";

const LONG = Array.from({ length: 60 }, (_, at) => `${at} ${"word ".repeat(100)}`).join("\n\n");

function conversation(...events: Parameters<typeof numbered>[0]): Conversation {
  return applyEvents(EMPTY_CONVERSATION, numbered(events));
}

test("the last message begins with the first of its parts", () => {
  const long = conversation(message("a", "First."), message("b", LONG));
  expect(long.items.length).toBeGreaterThan(3);
  expect(lastMessageAt(long)).toBe(1);
  expect(lastMessageAt(conversation(message("b", LONG)))).toBe(0);
});

test("a conversation may end with something else", () => {
  expect(lastMessageAt(EMPTY_CONVERSATION)).toBeUndefined();
  expect(lastMessageAt(conversation(message("a", "x"), tool("t", "completed")))).toBeUndefined();
});
