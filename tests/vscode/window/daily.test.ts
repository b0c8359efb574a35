import assert from "node:assert/strict";

import { definePuppet, PUPPET, type Puppet } from "../harness/agents/puppets.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until, within } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const session = new Session("daily", { prepare: definePuppet });
let puppet: Puppet;

session.step("the palette launches a subagent", async (workbench) => {
  await workbench.run("Subagents: Launch Subagent");
  await workbench.pick(PUPPET);
  await workbench.answer("Count the stars");
  puppet = await session.puppets.next();
  assert.match(puppet.greeting.prompt, /^Do as you are asked\.\s+Count the stars$/m);
  assert.equal(puppet.greeting.folder, session.profile.workspace);
  await new Chat(workbench).state("Running").waitFor();
});

session.step("a command takes no messages, so none is offered", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.button("Cancel").waitFor();
  assert.equal(await chat.message.count(), 0);
});

session.step("its words stream into the panel while it runs", async (workbench) => {
  const chat = new Chat(workbench);
  puppet.say("I see **seven** ");
  await chat.says("seven");
  puppet.say("of them so far.");
  await chat.says("of them so far.");
  puppet.useTool("read_sky", "started");
  await chat.says("read_sky");
  assert.equal(await chat.log.locator("strong", { hasText: "seven" }).count(), 1);
  await chat.state("Running").waitFor();
});

session.step("what it says is shown as text, however hostile", async (workbench) => {
  const chat = new Chat(workbench);
  puppet.useTool("read_sky", "completed");
  puppet.say('\n\n<img src="x" onerror="document.title=1"> <b id="hostile">bold?</b>\n\n');
  await chat.says('<img src="x"');
  assert.equal(await chat.frame.locator("#hostile, main img").count(), 0);
});

session.step("it ends with its result", async (workbench) => {
  const chat = new Chat(workbench);
  puppet.finish("Seven stars in all.");
  await chat.ending.getByText("Seven stars in all.").waitFor();
  await chat.state("Completed").waitFor();
});

session.step("the panel launches, and cancels permanently", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(PUPPET, "Count the grains of sand");
  puppet = await session.puppets.next();
  puppet.say("One, two, three");
  await chat.says("One, two, three");
  await chat.button("Cancel").click();
  await chat.state("Cancelled").waitFor();
  await within("the subagent's end", puppet.gone);
  await chat.ending.getByText("You cancelled this subagent.").waitFor();
  await chat.says("One, two, three");
});

session.step(
  "a run continues while its window reloads, and its stream is whole",
  async (workbench) => {
    await streamSome(workbench, "Count the waves");
    await workbench.reload();
    puppet.say("\n\nPrinted while it loaded.");
    await findConversation(workbench, "Count the waves");
    const chat = new Chat(workbench);
    await chat.state("Running").waitFor();
    await chat.says("Printed while it loaded.");
    puppet.say("\n\nPrinted after it.");
    await chat.says("Printed after it.");
    await assertStreamedOnce(chat, "Printed while it loaded. Printed after it.");
    puppet.finish("Countless.");
    await chat.ending.getByText("Countless.").waitFor();
  },
);

session.step("a killed sidecar comes back and tells what was lost", async (workbench) => {
  const chat = new Chat(workbench);
  await streamSome(workbench, "Count the leaves");
  const before = await session.host.sidecar();
  process.kill(before, "SIGKILL");
  await within("the subagent's end", puppet.gone);
  await chat.state("Lost").waitFor();
  await assertStreamedOnce(chat);
  assert.notEqual(await session.host.sidecar(), before);
});

session.step("the list is whole after it", async (workbench) => {
  const chat = new Chat(workbench);
  for (const goal of ["stars", "grains of sand", "waves", "leaves"]) {
    await chat.row(goal).waitFor();
    await new Chat(workbench).row(goal).waitFor();
  }
  assert.equal(await chat.rows.count(), 4);
});

session.step("the new sidecar works like the old one", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(PUPPET, "Count the days");
  puppet = await session.puppets.next();
  puppet.finish("Many.");
  await chat.ending.getByText("Many.").waitFor();
});

session.step("an end out of sight is a notification", async (workbench) => {
  await streamSome(workbench, "Count the fish");
  await workbench.run("View: Close All Editors");
  await workbench.openSideBar("Explorer");
  puppet.finish("Plenty.");
  const toast = await workbench.toast(`${PUPPET}: Completed · Count the fish`);
  await workbench.picture("an-end-as-notification");
  await toast.getByRole("button", { name: "Show", exact: true }).click();
  await new Chat(workbench).ending.getByText("Plenty.").waitFor();
  await workbench.openSideBar("Subagents");
});

session.step(
  "the panel keeps its place while it is hidden, and misses nothing",
  async (workbench) => {
    const chat = new Chat(workbench);
    await streamSome(workbench, "Count the birds");
    await workbench.openSideBar("Explorer");
    puppet.say("\n\nPrinted unseen.");
    await workbench.openSideBar("Subagents");
    await chat.says("Printed unseen.");
    await assertStreamedOnce(chat, "Printed unseen.");
  },
);

session.step("the palette cancels the one that is chosen", async (workbench) => {
  await workbench.run("Subagents: Cancel Subagent");
  await workbench.pick("Count the birds");
  await new Chat(workbench).state("Cancelled").waitFor();
  await within("the subagent's end", puppet.gone);
});

session.step("the palette opens an earlier subagent", async (workbench) => {
  await workbench.run("Subagents: Open Conversation");
  await workbench.pick("Count the stars");
  await new Chat(workbench).ending.getByText("Seven stars in all.").waitFor();
});

session.step(
  "the row of the conversation in front is marked, whichever it is",
  async (workbench) => {
    const inFront = new Chat(workbench).list.locator("[aria-current=true]");
    await inFront.getByText("Count the stars").waitFor();
    await workbench.run("View: Open Previous Editor");
    await inFront.getByText("Count the birds").waitFor();
    assert.equal(await inFront.count(), 1);
  },
);

session.step("the palette copies diagnostics without the user's secrets", async (workbench) => {
  await workbench.run("Subagents: Copy Diagnostics");
  await workbench.toasts.getByText("Diagnostics copied").waitFor();
  const diagnostics = await workbench.clipboard();
  assert.match(diagnostics, /sidecar/i);
  assert.match(diagnostics, /python/i);
  assert.ok(
    !diagnostics.includes(process.env["PATH"] ?? "none"),
    "an environment is not a diagnosis",
  );
});

session.step("the palette shows the log", async (workbench) => {
  await workbench.run("Subagents: Show Log");
  // Its lines are not checked: a host without the compiled log writer shows none of any channel.
  const channel = workbench.page.getByRole("combobox", { name: "Output" });
  await until(
    "the channel shown",
    () => channel.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text),
    (name) => name === "Subagents",
  );
});

session.step("the palette restarts the sidecar", async (workbench) => {
  const [before] = await session.host.servers();
  await workbench.run("Subagents: Restart Sidecar");
  await until(
    "another sidecar",
    () => session.host.servers(),
    (servers) => servers.length === 1 && servers[0]?.pid !== before?.pid,
  );
  await new Chat(workbench).row("stars").waitFor();
});

session.step("a run outlives its window, and the sidecar ends after it", async (workbench) => {
  await streamSome(workbench, "Count the hours");
  await workbench.leave();
  await until(
    "left",
    () => session.host.servers(),
    (left) => left.length === 0,
  );
  assert.ok(await session.host.sidecar());
  puppet.finish("Twenty-four.");
  await within("the subagent's end", puppet.gone);
  await until(
    "ended",
    () => session.host.sidecars(),
    (left) => left.length === 0,
  );
});

const PIECES = ["First a line.\n\n", "Then half a ", "sentence, and a list:\n\n- one\n- two\n"];

/** Launch, and have every piece seen in the panel. */
async function streamSome(workbench: Workbench, goal: string): Promise<void> {
  const chat = new Chat(workbench);
  await chat.launch(PUPPET, goal);
  puppet = await session.puppets.next();
  PIECES.forEach((piece) => {
    puppet.say(piece);
  });
  await chat.says("two");
}

/** What `streamSome` streamed, and then perhaps more, is there in order and once. */
async function assertStreamedOnce(chat: Chat, more = ""): Promise<void> {
  const whole = `First a line. Then half a sentence, and a list: one two ${more}`.trim();
  await until(
    `just “${whole}”`,
    async () => (await chat.messages.allInnerTexts()).join("\n").replaceAll(/\s+/g, " ").trim(),
    (text) => text === whole,
  );
}

/** A reloaded panel is where it was, or else the conversation is in its list. */
async function findConversation(workbench: Workbench, goal: string): Promise<void> {
  const chat = new Chat(workbench);
  await chat.frame.getByRole("region", { name: "Goal" }).getByText(goal).waitFor();
}
