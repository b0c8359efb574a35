import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";

const ROOT = "roo";
const ID = "3c9d1a52-7e4b-4f18-9a06-5d2c8b7e1f40";
const TITLE = "Mend the pump";
/** More than the page keeps rendered, so that most of them are read once only. */
const PARTS = 1_200;

type Message = Readonly<Record<string, unknown>>;

const begun = Date.now();
const messages: Message[] = [];

function say(word: string, text: string, more: Message = {}): Message {
  return { ts: begun + messages.length, type: "say", say: word, text, ...more };
}

/** Save the task as its product does: a whole new file takes the place of the old one. */
async function save(folder: string): Promise<void> {
  const task = join(folder, ROOT, "tasks", ID);
  await writeFile(join(task, "new"), JSON.stringify(messages));
  await rename(join(task, "new"), join(task, "ui_messages.json"));
}

const session = new Session("growing", {
  prepare: async (profile) => {
    const root = join(profile.folder, ROOT);
    await mkdir(join(root, "tasks", ID), { recursive: true });
    messages.push(say("text", TITLE));
    for (let part = 1; part <= PARTS; part += 1) {
      messages.push(say("text", `Checked part ${part}.`));
    }
    messages.push(say("text", "I am still wri", { partial: true }));
    await save(profile.folder);
    await profile.configure({ "subagentSidecar.foreignRoots": [root] });
  },
});

session.step("a task that its product works on opens as one", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton(/of other workspaces?$/).click();
  await chat.row(TITLE).click();
  await chat.says("I am still wri");
  await chat.ending.getByText("This task is unfinished.").waitFor();
});

session.step("new messages appear, and a text continues where it stopped", async (workbench) => {
  const chat = new Chat(workbench);
  messages.pop();
  messages.push(say("text", "I am still writing."), say("text", "The seal is worn."));
  await save(session.profile.folder);
  await chat.says("I am still writing.");
  await chat.says("The seal is worn.");
});

session.step("its question is a state of the conversation and of its row", async (workbench) => {
  const chat = new Chat(workbench);
  messages.push({ ...say("", "New seal?"), type: "ask", ask: "followup", say: undefined });
  await save(session.profile.folder);
  await chat.says("New seal?");
  await chat.ending.getByText("This task is waiting for an answer.").waitFor();
});

session.step("its end is shown", async (workbench) => {
  const chat = new Chat(workbench);
  messages.push(say("user_feedback", "Yes."), say("completion_result", "The pump is tight."));
  await save(session.profile.folder);
  await chat.says("The pump is tight.");
  await chat.ending.getByText("This task was completed.").waitFor();
});

session.step("a task that was rewound shows only what is left of it", async (workbench) => {
  const chat = new Chat(workbench);
  messages.splice(-5, 5, say("text", "The valve is stuck."));
  await save(session.profile.folder);
  await chat.says("The valve is stuck.");
  await chat.log.getByText("The pump is tight.").waitFor({ state: "detached" });
  await chat.log.getByText("The seal is worn.").waitFor({ state: "detached" });
});

session.step("a task that is deleted stays readable, and says so", async (workbench) => {
  const chat = new Chat(workbench);
  await rm(join(session.profile.folder, ROOT), { recursive: true });
  await chat.frame.getByText("This task was deleted.").waitFor();
  await chat.says("The valve is stuck.");
  await chat.row(TITLE).waitFor({ state: "detached" });
});
