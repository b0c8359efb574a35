// The minimap of a conversation shows its turns, and leads to each by mouse and by keys.
import assert from "node:assert/strict";

import { seriousFindings } from "../harness/accessible.ts";
import { defineScripted, SCRIPTED } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import { WINDOW } from "../harness/workbench.ts";

const TURNS = 24;
/** The turn with a question, from 1. */
const ASKING = 13;
const WORDS = "I read what the module promises and compare it with what its callers rely on. ";

const session = new Session("minimap", { prepare: defineScripted });

/** What the agent does: each turn says something and calls tools, and one asks. */
function steps(): string[] {
  return Array.from({ length: TURNS }, (_, at) => [
    `say "Module ${at + 1}. ${WORDS.repeat(6)}"`,
    at + 1 === ASKING ? 'run "echo asked"' : "look 2",
  ]).flat();
}

session.step("each turn of a conversation has a mark", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.setViewportSize({ width: 1280, height: 800 });
  await chat.launchScript(SCRIPTED, steps());
  await chat.button(/^Allow Once/).click();
  await chat.ending.waitFor();
  await until(
    "all turns marked",
    () => chat.turns.locator(".turn").count(),
    (count) => count === TURNS,
  );
  assert.equal(await chat.turns.locator(".turn-question").count(), 1);
  assert.equal(await chat.turns.getAttribute("aria-valuenow"), String(TURNS));
});

session.step("a click on a mark shows its turn", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.turns.locator(".turn").nth(4).click();
  await isAt(chat, 5);
  await inView(chat, "Module 5.");
});

session.step("scrolling moves the mark along", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.log.hover();
  await workbench.page.mouse.wheel(0, 1_200);
  await until(
    "further down",
    () => chat.turns.getAttribute("aria-valuenow"),
    (turn) => Number(turn) > 5 && Number(turn) < TURNS,
  );
});

session.step("keys alone lead to the question, to the start and to the end", async (workbench) => {
  const chat = new Chat(workbench);
  const { keyboard } = workbench.page;
  await workbench.tabTo(chat.turns);
  await keyboard.press("End");
  await isAt(chat, TURNS);
  await inView(chat, `Module ${TURNS}.`);
  await keyboard.press("PageUp");
  await isAt(chat, ASKING);
  await inView(chat, `Module ${ASKING}.`);
  await workbench.picture("at-the-question");
  await keyboard.press("ArrowDown");
  await isAt(chat, ASKING + 1);
  await keyboard.press("Home");
  await isAt(chat, 1);
  await inView(chat, "Module 1.");
});

session.step("axe has nothing serious to say about it", async (workbench) => {
  assert.deepEqual(await seriousFindings(workbench.editorPage), []);
});

session.step("where there is no room for it, the text has all of it", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.run("View: Toggle Primary Side Bar Visibility");
  await workbench.page.setViewportSize({ width: 400, height: 800 });
  await chat.turns.waitFor({ state: "hidden" });
  const { scrolled, room } = await chat.log.evaluate(({ scrollWidth, clientWidth }) => ({
    scrolled: scrollWidth,
    room: clientWidth,
  }));
  assert.ok(scrolled <= room, `${scrolled} pixels of text in ${room}`);
  await workbench.picture("in-a-narrow-window");
  await workbench.page.setViewportSize(WINDOW);
});

async function isAt(chat: Chat, turn: number): Promise<void> {
  await until(
    `at turn ${turn}`,
    () => chat.turns.getAttribute("aria-valuenow"),
    (now) => now === String(turn),
  );
}

/** Wait until the beginning of a message is in view. */
async function inView(chat: Chat, text: string): Promise<void> {
  await until(
    `${text} in view`,
    () =>
      chat.messages
        .filter({ hasText: text })
        .last()
        .evaluate((message) => {
          const view = message.closest("#scroller")?.getBoundingClientRect();
          const { top } = message.getBoundingClientRect();
          return view !== undefined && top >= view.top && top < view.bottom;
        }),
    (seen) => seen,
  );
}
