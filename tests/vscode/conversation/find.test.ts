// The search in a conversation finds what is not loaded, by keyboard alone.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";

const TASK = { id: "7d2b1c3e-4f5a-4b6c-8d7e-9f0a1b2c3d4e", title: "Survey the rafters" };
/** Long enough that most of it is never loaded, in messages. */
const MESSAGES = 1_500;
const WORDS = "The beam is sound, and its joint holds what rests on it. ";
/** The messages with a **rare** word, which marks of Markdown split. */
const RARE = [20, 700, 1_480];

/** The user says something before each group of this many. */
const ASKED_EACH = 100;
const BEGUN = new Date(2026, 0, 15, 6, 0).getTime();
const MINUTE = 60_000;

const session = new Session("find", {
  prepare: async (profile) => {
    const storageRoot = join(profile.folder, "store");
    await store(join(storageRoot, "tasks", TASK.id));
    await profile.configure({ "subagentSidecar.storageRoot": storageRoot });
  },
});

/** Store the task, as Roo Code writes one, with a message each minute. */
async function store(folder: string): Promise<void> {
  const say = (at: number, word: string, text: string) => {
    return { ts: BEGUN + at * MINUTE, type: "say", say: word, text };
  };
  const messages = Array.from({ length: MESSAGES }, (_, at) => {
    const found = RARE.includes(at) ? " Here is **wood**worm." : "";
    const answer = say(at, "text", `Rafter ${at}. ${WORDS.repeat(8).trim()}${found}`);
    return at > 0 && at % ASKED_EACH === 0
      ? [say(at, "user_feedback", `And from rafter ${at} on?`), answer]
      : [answer];
  });
  await mkdir(folder, { recursive: true });
  const all = [say(0, "text", TASK.title), ...messages.flat()];
  await writeFile(join(folder, "ui_messages.json"), JSON.stringify(all));
}

session.step("Ctrl+F in a stored conversation opens its own search", async (workbench) => {
  const chat = new Chat(workbench);
  const all = chat.listButton(/^Show [\d,]+ tasks? of other workspaces$/);
  await all.or(chat.row(TASK.title)).first().waitFor();
  if (await all.isVisible()) {
    await all.click();
  }
  await chat.row(TASK.title).click();
  await chat.says(`Rafter ${MESSAGES - 1}.`);
  await chat.log.focus();
  const place = await chat.log.boundingBox();
  await workbench.page.keyboard.press("Control+F");
  await chat.frame.getByRole("textbox", { name: "Find" }).waitFor();
  assert.deepEqual(await chat.log.boundingBox(), place, "the search is over the text");
  assert.equal(
    await workbench.page.locator(".webview-find-widget, .simple-find-part.visible").count(),
    0,
  );
});

session.step("a match that is not loaded is found and shown", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.keyboard.type("woodworm");
  await counted(chat, "1 of 3"); // none follows the end, where the reader is
  await inView(chat, RARE[0]);
});

session.step("Enter and Shift+Enter lead through all of them", async (workbench) => {
  const chat = new Chat(workbench);
  const { keyboard } = workbench.page;
  for (const [key, at, words] of [
    ["Enter", 1, "2 of 3"],
    ["Enter", 2, "3 of 3"],
    ["Enter", 0, "1 of 3"],
    ["Shift+Enter", 2, "3 of 3"],
    ["Shift+Enter", 1, "2 of 3"],
  ] as const) {
    await keyboard.press(key);
    await counted(chat, words);
    await inView(chat, RARE[at]);
  }
});

session.step("axe has nothing serious to say about it", async (workbench) => {
  assert.deepEqual(await seriousFindings(workbench.editorPage), []);
});

session.step("a common word has a count, and says if nothing matches", async (workbench) => {
  const chat = new Chat(workbench);
  await field(chat).fill("nowhere at all");
  await counted(chat, "No results");
  await field(chat).fill("beam is sound");
  await until(
    "all counted",
    () => countOf(chat),
    (words) => words.endsWith("of 10,000+"),
  );
});

session.step("at the end, Jump to Latest covers no button", async (workbench) => {
  const chat = new Chat(workbench);
  await field(chat).fill(`Rafter ${MESSAGES - 1}.`);
  await counted(chat, "1 of 1");
  await chat.log.evaluate((log) => {
    log.scrollTop = log.scrollHeight;
  });
  const button = await chat.button("Continue With…").boundingBox();
  const jump = await chat.button("Jump to Latest").boundingBox();
  assert.ok(button !== null && jump !== null && button.y + button.height <= jump.y);
  await field(chat).fill("beam is sound");
});

session.step("Escape closes the search and leaves the reader there", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.keyboard.press("Escape");
  await field(chat).waitFor({ state: "detached" });
  await until(
    "the conversation has the focus",
    () => chat.log.evaluate((log) => log.matches(":focus")),
    (focused) => focused,
  );
});

session.step("the palette opens the search too", async (workbench) => {
  await workbench.run("Subagents: Find in Conversation");
  await field(new Chat(workbench)).waitFor();
});

session.step("a time leads to the turn that began last before it", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.run("Subagents: Go to Time");
  await workbench.row("And from rafter 100 on?").waitFor();
  await workbench.type("07:45");
  await workbench.row("At 07:45").first().waitFor();
  await workbench.page.keyboard.press("Enter");
  await until(
    "that turn in view",
    () =>
      chat.messages.evaluateAll((messages) => {
        const turn = messages.find((each) => each.textContent.trim().startsWith("Rafter 100."));
        const view = turn?.closest("#scroller")?.getBoundingClientRect();
        const at = turn?.getBoundingClientRect();
        return view !== undefined && at !== undefined && at.top >= view.top && at.top < view.bottom;
      }),
    (seen) => seen,
  );
});

function field(chat: Chat) {
  return chat.frame.getByRole("textbox", { name: "Find" });
}

/** What is counted, without what only a screen reader gets. */
function countOf(chat: Chat): Promise<string> {
  return chat.frame.locator(".find-count").evaluate((status) => {
    const texts = [...status.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    return texts.map(({ nodeValue }) => nodeValue?.trim()).join("");
  });
}

async function counted(chat: Chat, words: string): Promise<void> {
  await until(
    words,
    () => countOf(chat),
    (now) => now === words,
  );
}

/** Wait until the marked word of a message is in view. */
async function inView(chat: Chat, at = 0): Promise<void> {
  await until(
    `rafter ${at} in view`,
    () =>
      chat.messages.evaluateAll((messages, name) => {
        const found = messages.find((each) => each.textContent.trim().startsWith(name));
        const [view, word] = [
          document.querySelector("#scroller")?.getBoundingClientRect(),
          found?.querySelector("strong")?.getBoundingClientRect(),
        ];
        return (
          view !== undefined &&
          word !== undefined &&
          word.top >= view.top &&
          word.bottom <= view.bottom
        );
      }, `Rafter ${at}.`),
    (seen) => seen,
  );
}
