// The commands on the conversation in front.
import { afterEach, expect, test } from "vitest";

import { conversationCommands } from "../../../src/commands/conversation.js";
import type { Navigation } from "../../../src/panel/messages.js";
import type { TimedTurn } from "../../../src/panel/turns/turnIndex.js";
import { shown } from "../../vscode.js";

afterEach(() => {
  shown.messages = [];
});

const TURNS: TimedTurn[] = [
  { seq: 1, kind: "plain", text: "I read.", ts: new Date(2026, 10, 5, 9, 30).getTime() },
  { seq: 8, kind: "question", text: "Run it?", ts: new Date(2026, 10, 5, 11, 0, 5).getTime() },
];

function page(turns: readonly TimedTurn[] | undefined) {
  const posted: (Navigation | "focus")[] = [];
  const show = (message: Navigation): void => {
    posted.push(message);
  };
  const focus = () => Promise.resolve(void posted.push("focus"));
  return { posted, commands: conversationCommands({ page: { show, turns }, focus }) };
}

/** Enter a text, then choose the row with this label. */
async function picked(turns: readonly TimedTurn[], value: string, label: string) {
  const { posted, commands } = page(turns);
  const chosen = commands["subagentSidecar.conversation.goToTime"]();
  shown.pick?.type(value);
  const items = (shown.pick?.items ?? []) as { label: string; description: string }[];
  shown.pick?.accept(items.find((item) => item.label === label));
  await chosen;
  return { posted, rows: items.map((item) => `${item.label} ${item.description}`) };
}

test("Find in Conversation opens the search of the page in front, which gets the focus", async () => {
  const { posted, commands } = page([]);
  await commands["subagentSidecar.conversation.find"]();
  expect(posted).toEqual(["focus", { type: "find" }]);
});

test("without a conversation, both say what to do", async () => {
  const commands = conversationCommands({ page: undefined, focus: () => Promise.resolve() });
  void commands["subagentSidecar.conversation.find"]();
  await commands["subagentSidecar.conversation.goToTime"]();
  expect(shown.messages).toEqual(["Open a conversation first.", "Open a conversation first."]);
});

test("without a turn, Go to Time says so", async () => {
  await page([]).commands["subagentSidecar.conversation.goToTime"]();
  expect(shown.messages).toEqual(["This conversation has no turns yet."]);
});

test("the turns are listed with their times, and one that is chosen is shown", async () => {
  const { posted, rows } = await picked(TURNS, "", "11:00:05");
  expect(rows).toEqual(["09:30:00 I read.", "11:00:05 $(bell-dot) Run it?"]);
  expect(posted).toEqual(["focus", { type: "jumpTo", seq: 8 }]);
});

test("a time that is entered comes first, and leads to its turn", async () => {
  const { posted, rows } = await picked(TURNS, "10:15", "At 10:15");
  expect(rows[0]).toBe("At 10:15 09:30:00 I read.");
  expect(posted).toEqual(["focus", { type: "jumpTo", seq: 1 }]);
});
