import { defineScripted, SCRIPTED } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";

const REFUSAL = "rate limit reached, try again in 5 minutes";

const session = new Session("held", { prepare: (profile) => defineScripted(profile) });

session.step("a model that refuses a request ends its run", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launchScript(SCRIPTED, [`fail '${REFUSAL}'`]);
  await chat.state("Failed: rate limit reached").waitFor();
});

session.step("the next launch waits, and panel and tree say why and until when", async (one) => {
  const chat = new Chat(one);
  await chat.launchScript(SCRIPTED, ["say hi"]);
  await chat.log.getByText(/Queued: rate limit reached\. It starts after .*\d:\d\d/u).waitFor();
  await chat.state("Queued (next)").waitFor();
  const row = new Chat(one).row("say hi");
  await row.getByText(/Queued \(next\): rate limit reached until .*\d:\d\d/u).waitFor();
});

session.step("the list shows it too", async (workbench) => {
  const chat = new Chat(workbench);
  const listed = chat.row("say hi");
  await listed.getByText(/rate limit reached until .*\d:\d\d/u).waitFor();
});

session.step("Start Now starts it anyway", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.row("say hi").click();
  await chat.button("Start Now").click();
  await chat.state("Completed").waitFor();
});
