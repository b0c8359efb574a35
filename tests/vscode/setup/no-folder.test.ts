import { definePuppet } from "../harness/agents/puppets.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";

const session = new Session("no-folder", { prepare: definePuppet, opensFolder: false });

session.step("the example runs in a window without a folder", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton("Run an Example").click();
  await chat.button(/^Reject/).click();
  await chat.says("nothing changed");
  await chat.ending.getByText("The subagent finished its work.").waitFor();
});

session.step("a launch there asks for a folder", async (workbench) => {
  await workbench.run("Subagents: Launch Subagent");
  await workbench.pick("tour");
  await workbench.toasts.getByText("Open one first").waitFor();
});
