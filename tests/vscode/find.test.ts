// The search in a conversation finds what is not loaded, by keyboard alone.
import assert from "node:assert/strict";
import { join } from "node:path";

import { seriousFindings } from "./harness/accessible.ts";
import { Chat } from "./harness/chat.ts";
import { storeTexts } from "./harness/history.ts";
import { Session } from "./harness/session.ts";
import { until } from "./harness/waiting.ts";

const TASK = { id: "7d2b1c3e-4f5a-4b6c-8d7e-9f0a1b2c3d4e", title: "Survey the rafters" };
/** Long enough that most of it is never loaded, in messages. */
const MESSAGES = 1_500;
const WORDS = "The beam is sound, and its joint holds what rests on it. ";
/** The messages with a **rare** word, which marks of Markdown split. */
const RARE = [20, 700, 1_480];

const session = new Session("find", {
  prepare: async (profile) => {
    const storageRoot = join(profile.folder, "store");
    const texts = Array.from({ length: MESSAGES }, (_, at) => {
      const found = RARE.includes(at) ? "Here is **wood**worm." : "";
      return `Rafter ${at}. ${WORDS.repeat(8)}${found}`;
    });
    await storeTexts(storageRoot, TASK.id, [TASK.title, ...texts.slice(1)]);
    await profile.configure({ "subagentSidecar.storageRoot": storageRoot });
  },
});

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
  await workbench.page.keyboard.press("Control+F");
  await chat.frame.getByRole("textbox", { name: "Find" }).waitFor();
  assert.equal(await workbench.page.locator(".webview-find-widget, .simple-find-part.visible").count(), 0);
});

session.step("all of the conversation is counted, and the nearest match is shown", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.keyboard.type("woodworm");
  await counted(chat, "3 of 3");
  await inView(chat, RARE[2]);
});

session.step("Enter leads to matches that were not loaded", async (workbench) => {
  const chat = new Chat(workbench);
  const { keyboard } = workbench.page;
  await keyboard.press("Enter");
  await counted(chat, "1 of 3");
  await inView(chat, RARE[0]);
  await keyboard.press("Enter");
  await counted(chat, "2 of 3");
  await inView(chat, RARE[1]);
  await keyboard.press("Shift+Enter");
  await counted(chat, "1 of 3");
  await inView(chat, RARE[0]);
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

function field(chat: Chat) {
  return chat.frame.getByRole("textbox", { name: "Find" });
}

function countOf(chat: Chat): Promise<string> {
  return chat.frame.locator(".find-count").evaluate((status) =>
    status.firstChild === null
      ? ""
      : [...status.childNodes]
          .filter(({ nodeType }) => nodeType === 3)
          .map(({ nodeValue }) => nodeValue ?? "")
          .join("")
          .trim(),
  );
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
        const found = messages.find((each) => each.textContent.startsWith(name));
        const [view, word] = [
          document.querySelector("#scroller")?.getBoundingClientRect(),
          found?.querySelector("strong")?.getBoundingClientRect(),
        ];
        return view !== undefined && word !== undefined && word.top >= view.top && word.bottom <= view.bottom;
      }, `Rafter ${at}.`),
    (seen) => seen,
  );
}
