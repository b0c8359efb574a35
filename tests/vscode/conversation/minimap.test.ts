// The minimap of a conversation shows its turns, and leads to each by mouse and by keys.
import assert from "node:assert/strict";

import { seriousFindings } from "../harness/accessible.ts";
import { defineScripted, defineWithSteps } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import { WINDOW } from "../harness/workbench.ts";

const TURNS = 24;
/** The turn with a question, from 1. */
const ASKING = 13;
const REVIEWER = "reviewer";
const GOAL = "Compare what each module promises with what its callers rely on";
const SUBJECTS = ["orders", "prices", "customers", "invoices", "stock", "shipping"] as const;
const FINDINGS = [
  "It promises sums in cents, and all of its callers round nothing themselves.",
  "Two callers rely on the order of the rows, which the module never promises, so a test pins it down now.",
  "Its documentation says that a missing entry raises an error; in fact it returns nothing, and one caller expects that.",
  "The time zone is that of the shop; a caller in the reports converts it once more, which shows on the last day of a month.",
] as const;

const session = new Session("minimap", {
  prepare: async (profile) => {
    await defineScripted(profile);
    await defineWithSteps(profile, REVIEWER, "Reads and compares, and changes nothing.", steps());
  },
});

/** What the agent does: each turn says something and calls tools, and one asks. */
function steps(): string[] {
  return Array.from({ length: TURNS }, (_, at) => [
    `say "${reportOn(at)}"`,
    at + 1 === ASKING ? 'run "git log --oneline -3 || true"' : "look 2",
  ]).flat();
}

function reportOn(at: number): string {
  const subject = SUBJECTS[at % SUBJECTS.length] ?? "";
  const found = FINDINGS.map((_, next) => FINDINGS[(at + next) % FINDINGS.length]);
  return `Module ${at + 1}. \`${subject}.py\`: ${found.join(" ")}`;
}

session.step("each turn of a conversation has a mark", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.setViewportSize({ width: 1280, height: 800 });
  await chat.launch(REVIEWER, GOAL);
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
  // What is below the place of the jump may still be being drawn, so a single turn of the wheel may be lost.
  await until(
    "further down",
    async () => {
      await workbench.page.mouse.wheel(0, 600);
      return chat.turns.getAttribute("aria-valuenow");
    },
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
