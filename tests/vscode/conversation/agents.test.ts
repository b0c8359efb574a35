import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import type { Locator } from "playwright-core";

import {
  defineScripted,
  defineWithSteps,
  SCRIPTED,
  SCRIPTS_RUNNER,
} from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import { WINDOW } from "../harness/workbench.ts";

const ABSENT = "---\nname: absent\ndescription: Has no program.\nrunner: absent\n---\nWork.\n";
const BROKEN = "---\nname: broken\ndescription: Has a mistake.\nmaxTurns: many\n---\nWork.\n";

/** Panels with little height, in CSS pixels, and the windows that leave them no more. */
const SHORT_PANELS = [
  [420, 510],
  [240, 330],
] as const;

/** An agent that takes its own steps; the list has it after the scripted one. */
const TESTER = "tester";

const session = new Session("agents", {
  prepare: async (profile) => {
    await profile.addFile("notes.txt", "Old words.\n");
    await profile.addFile("dot.png", "\u0089PNG\r\n\u001a\n\u0000");
    await profile.addFile(".sidecar/agents/broken.md", BROKEN);
    await profile.addFile(".sidecar/agents/absent.md", ABSENT);
    await defineScripted(profile);
    await defineWithSteps(profile, TESTER, "Mends one test.", [
      'say "I read the test first."',
      `then 'say "I check the sign-out too."'`,
      'run "cat notes.txt"',
      'say "The test waits for the redirect now."',
    ]);
    const absent = { type: "command", command: ["no-such-agent"] };
    await profile.configure({ "subagentSidecar.runners": { scripts: SCRIPTS_RUNNER, absent } });
  },
});

session.step("the picker says who works, and what cannot be launched", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.list.getByText("Does what its goal says (scripts, large).").waitFor();
  await chat.listButton("Select, edit or add a subagent").click();
  await workbench.row("scripts · large · from this workspace").waitFor();
  await workbench.row("broken.md:4").waitFor();
});

session.step("a faulty definition opens at its line", async (workbench) => {
  await workbench.pick("broken.md:4");
  await workbench.statusItem("Ln 4, Col 1").waitFor();
  await workbench.page.locator(".view-lines").getByText("maxTurns: many").waitFor();
  await workbench.run("View: Close All Editors");
  await rm(join(session.profile.workspace, ".sidecar/agents/broken.md"));
});

session.step(
  "an agent's question waits in its conversation, and is seen all around",
  async (workbench) => {
    const chat = new Chat(workbench);
    await chat.launchScript(SCRIPTED, [
      'think "Which file is it?"',
      'say "I change the notes."',
      'plan "+Look;*Write;Tell"',
      "usage 1200 300 0.25",
      'write notes.txt "New words."',
      'plan "+Look;+Write;+Tell"',
      'say "That is all."',
    ]);
    await chat.question("Make this edit?").waitFor();
    await chat.state("Needs you").waitFor();
    await chat.row("Asks: ").waitFor();
    await workbench.statusItem("1 needs you").waitFor();
    assert.equal(await notes(), "Old words.\n");
  },
);

session.step("the change that it asks for is shown, by lines", async (workbench) => {
  const { log, frame } = new Chat(workbench);
  await log.locator(".row-old", { hasText: "Old words." }).waitFor();
  await log.locator(".row-new", { hasText: "New words." }).waitFor();
  await frame.getByText("Plan: 1 of 3 done").waitFor();
});

session.step("in a short panel the question has the room", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.message.fill("A thought\nof several\nlines");
  for (const [panel, height] of SHORT_PANELS) {
    await workbench.page.setViewportSize({ ...WINDOW, height });
    await until(
      "short, with room for the question",
      () =>
        chat.log.evaluate((log) => [
          log.ownerDocument.documentElement.clientHeight,
          log.clientHeight,
        ]),
      ([whole = 0, room = 0]) => whole <= panel && room > whole / 2,
    );
    for (const answer of await chat.question("Make this edit?").getByRole("button").all()) {
      await answer.click({ trial: true });
    }
    await workbench.picture(`a-question-in-${panel}-pixels`);
  }
  await workbench.page.setViewportSize(WINDOW);
  assert.equal(await chat.message.inputValue(), "A thought\nof several\nlines");
  await chat.message.fill("");
});

session.step("the editor's own diff shows all of it", async (workbench) => {
  await new Chat(workbench).button("Open Diff").click();
  const diff = workbench.page.locator(".monaco-diff-editor");
  await diff.locator(".modified .view-lines").getByText("New words.").waitFor();
  await diff.locator(".original .view-lines").getByText("Old words.").waitFor();
});

session.step("keys alone answer, and the agent continues", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.run("View: Close All Editors");
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(chat.row("Asks: "));
  await workbench.page.keyboard.press("Enter");
  await workbench.tabTo(chat.button(/^Allow Once/));
  await workbench.page.keyboard.press("Enter");
  await chat.ending.getByText("The subagent finished its work.").waitFor();
  await chat.says("Allowed");
  assert.equal(await notes(), "New words.");
});

session.step("plan, usage and cost are where they were, once", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.frame.getByText("Plan: 3 of 3 done").waitFor();
  const text = (await chat.frame.locator("main").innerText()).replaceAll(/\s+/g, " ");
  assert.equal(text.match(/\$0\.25/g)?.length, 1, text);
  assert.equal(text.match(/1\.5K tokens/g)?.length, 1, text);
});

session.step("its row has time, cost and changed lines at the usual width", async (workbench) => {
  const facts = new Chat(workbench).rows.first().locator(".row-facts");
  for (const [name, text] of [
    [".row-figures", /(now|ago)\s*\$0\.25/u],
    [".row-lines", /\+1 −1/u],
  ] as const) {
    assert.match(await facts.locator(name).innerText(), text);
    assert.ok(await isWhole(facts.locator(name)), `${name} is cut`);
  }
});

/** Whether a text is not cut: an ellipsis appears once a fraction of a pixel is missing. */
function isWhole(text: Locator): Promise<boolean> {
  return text.evaluate((element) => {
    const end = element.lastElementChild?.getBoundingClientRect().right ?? Infinity;
    return end < element.getBoundingClientRect().right + 1 / 64;
  });
}

session.step("the end lists what changed, and shows it", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.ending.getByText("1 file changed").waitFor();
  await chat.button("View All Changes").click();
  const diff = workbench.page.locator(".monaco-diff-editor");
  await diff.locator(".modified .view-lines").getByText("New words.").waitFor();
  await workbench.run("View: Revert and Close Editor");
});

session.step("a file that was touched opens", async (workbench) => {
  await new Chat(workbench).log.getByRole("button", { name: "notes.txt", exact: true }).click();
  await workbench.page.locator(".view-lines").getByText("New words.").waitFor();
  assert.equal(await workbench.toasts.count(), 0, "the end was in view");
  await workbench.run("View: Close All Editors");
});

session.step("links of a message open a line, a picture and a folder", async (workbench) => {
  const chat = new Chat(workbench);
  const { page } = workbench;
  const links = "See [the notes](notes.txt#L1), [a dot](dot.png) and [agents](.sidecar/agents).";
  // It works until the end of the step: in a browser, the editor takes its window for one without the focus while a
  // page loads that gets it, and would notify of an end.
  await chat.launchScript(SCRIPTED, [`say "${links}"`, "wait"]);
  await chat.button("the notes").click();
  await page.locator(".view-lines").getByText("New words.").waitFor();
  await chat.button("a dot").click();
  await page.locator(".tab.active", { hasText: "dot.png" }).waitFor();
  await chat.button("agents").click();
  const explorer = page.locator(".explorer-viewlet .monaco-list-row.focused");
  await explorer.filter({ hasText: "agents" }).waitFor();
  assert.equal(await workbench.toasts.count(), 0);
  await chat.button("Cancel").click();
  await chat.ending.waitFor();
  await workbench.run("View: Close All Editors");
  await workbench.openSideBar("Subagents");
});

session.step("the palette answers, and the answer is remembered", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launchScript(SCRIPTED, ['run "echo first"', 'run "echo second"', 'run "echo first"']);
  await chat.question("echo first").waitFor();
  await workbench.run("View: Close All Editors");
  await workbench.openSideBar("Explorer");
  await workbench.run("Subagents: Answer Question");
  await workbench.row("Always Allow “echo first” in this workspace").waitFor();
  await workbench.picture("a-question-in-the-palette");
  await workbench.pick("Always Allow");
});

session.step(
  "with the panel out of sight the next question is a notification with its answers",
  async (workbench) => {
    const toast = await workbench.toast(/scripted wants to run in .+: echo second/);
    await toast.getByRole("button", { name: "Show" }).waitFor();
    await workbench.picture("a-question-as-notification");
    await toast.getByRole("button", { name: "Reject" }).click();
    await workbench.openSideBar("Subagents");
    const chat = new Chat(workbench);
    await chat.row("echo first").click();
    await chat.says("Rejected");
    await chat.ending.waitFor(); // "echo first" was not asked again
  },
);

session.step("a remembered permission is listed, and can be forgotten", async (workbench) => {
  await workbench.run("Subagents: Manage Remembered Permissions");
  await workbench.row("Always allow: `echo first` in this workspace").getByRole("checkbox").check();
  await workbench.picture("remembered-permissions");
  await workbench.page.getByRole("button", { name: "OK", exact: true }).click();
  await workbench.toasts.getByText("Forgot 1 permission.").waitFor();
  await workbench.run("Subagents: Manage Remembered Permissions");
  await workbench.toasts.getByText("No remembered permissions.").waitFor();
});

session.step("a running subagent gets a message after its turn", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.run("Notifications: Clear All Notifications"); // they cover what the picture shows
  await chat.launch(TESTER, "Mend the flaky sign-in test");
  await chat.question("cat notes.txt").waitFor();
  await chat.message.fill("Please check the sign-out test too.");
  await chat.message.press("Enter");
  await chat.says("The agent gets it after the current turn.");
  await workbench.picture("a-message-waits");
  await chat.button(/^Allow Once/).click();
  await chat.ending.getByText("The subagent finished its work.").waitFor();
  await chat.messages.getByText("I check the sign-out too.").waitFor();
});

session.step("an ended subagent continues in a new conversation", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.button("Continue…").click();
  await chat.message.fill('run "echo fourth"');
  await workbench.picture("a-resume-is-written");
  await chat.message.press("Enter");
  await chat.button("an earlier run").waitFor();
  await chat.question("echo fourth").waitFor();
});

session.step("the palette tells a subagent something, too", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.run("Subagents: Send Message");
  await workbench.pick("Needs you");
  await workbench.answer('say "From the palette."');
  await workbench.toasts.getByText("The agent gets it after the current turn").waitFor();
  await chat.button(/^Allow Once/).click();
  await chat.ending.waitFor();
  await chat.messages.getByText("From the palette.").waitFor();
});

session.step("a new definition is written, opened and ready to launch", async (workbench) => {
  await workbench.run("Subagents: New Subagent Definition");
  await workbench.answer("greeter");
  await workbench.answer('Says "hello": to all');
  await workbench.pick("Workspace");
  await workbench.pick("scripts");
  await workbench.page.locator(".tab", { hasText: "greeter.md" }).waitFor();
  const chat = new Chat(workbench);
  await until(
    "chosen",
    () => chat.picker.inputValue(),
    (name) => name === "greeter",
  );
  await chat.list.getByText(/Says "hello": to all \(scripts[,)]/u).waitFor();
});

session.step("the new definition works", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launchScript("greeter", ['say "Hello to all."']);
  await chat.ending.waitFor();
  await chat.says("Hello to all.");
});

function notes(): Promise<string> {
  return readFile(join(session.profile.workspace, "notes.txt"), "utf8");
}

async function askAndQueue(chat: Chat, command: string): Promise<void> {
  await chat.launchScript(SCRIPTED, [`run "${command}"`]);
  await chat.question(command).waitFor();
  await chat.message.fill('say "Also the docs."');
  await chat.message.press("Enter");
  await chat.says("The agent gets it after the current turn.");
}

session.step("a reload keeps the open question and the queued message", async (workbench) => {
  const chat = new Chat(workbench);
  await askAndQueue(chat, "echo fifth");
  await workbench.reload();
  await chat.question("echo fifth").waitFor();
  await chat.says("The agent gets it after the current turn.");
  await chat.button(/^Allow Once/).click();
  await chat.messages.getByText("Also the docs.").waitFor();
  await chat.ending.waitFor();
});

session.step(
  "a message that a dead sidecar keeps from its agent can be sent again",
  async (workbench) => {
    const chat = new Chat(workbench);
    await askAndQueue(chat, "echo sixth");
    process.kill(await session.host.sidecar(), "SIGKILL");
    await chat.says("Not delivered: the run ended first.");
    await workbench.picture("a-message-was-not-delivered");
    await chat.button("Send Again").click();
    assert.equal(await chat.message.inputValue(), 'say "Also the docs."');
    await chat.button(/^Continue$/).click();
    await chat.messages.getByText("Also the docs.").waitFor();
  },
);

session.step("a runner whose program is missing leads to its setting", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.picker.selectOption("absent");
  await chat.list.getByText("Not available: the program no-such-agent was not found").waitFor();
  await chat.goal.fill("go");
  await chat.listButton("Launch").click();
  await chat.listButton("Open Runner Settings").click();
  const settings = workbench.page.locator(".settings-editor .setting-item");
  await settings.filter({ hasText: "Subagent Sidecar: Runners" }).waitFor();
});
