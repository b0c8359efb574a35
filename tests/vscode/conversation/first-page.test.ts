import { defineScripted } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import type { Profile } from "../harness/profile.ts";
import { Session } from "../harness/session.ts";
import { WINDOW } from "../harness/workbench.ts";

const ROOMY = { width: 1180, height: 1060 };
const WIDER_BY = 110;

const session = new Session("first-page", {
  prepare: async (profile) => {
    await defineScripted(profile);
    await profile.addFile("src/days.py", "FIRST_DAY = datetime(2026, 11, 22)");
    await define(profile, "surveyor", "Explores the sources and reports what is where.", [
      'say "There are 14 modules."',
    ]);
    await define(profile, "fixer", "Fixes one bug and runs the tests.", [
      'think "Which dates are created without a time zone?"',
      'say "One date has no time zone. I will add one, then run the tests."',
      'plan "+Find dates without a time zone;*Add the time zone;Run the tests"',
      "usage 8100 900 0.04",
      'write src/days.py "FIRST_DAY = datetime(2026, 11, 22, tzinfo=UTC)"',
      'say "The date has a time zone now."',
    ]);
  },
});

/** Define an agent that takes these steps, whatever its goal. */
function define(
  profile: Profile,
  name: string,
  description: string,
  steps: readonly string[],
): Promise<void> {
  const head = ["---", `name: ${name}`, `description: ${description}`, "runner: scripts", "---"];
  return profile.addFile(`.sidecar/agents/${name}.md`, [...head, ...steps, ""].join("\n"));
}

session.step("several subagents are launched, one after the other", async (workbench) => {
  const chat = new Chat(workbench);
  for (const goal of ["Count the modules", "List what each module imports"]) {
    await chat.launchScript("surveyor", [goal]);
    await chat.ending.waitFor();
  }
});

session.step("with room, plan, change and question are seen at once", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.setViewportSize(ROOMY);
  await workbench.widenSideBar(WIDER_BY);
  await chat.launchScript("fixer", ["Give every date a time zone"]);
  await chat.frame.getByText("Plan: 1 of 3 done").waitFor();
  await chat.log.locator(".row-new", { hasText: "tzinfo=UTC" }).waitFor();
  await chat.button("Open Diff").click();
  const diff = workbench.page.locator(".monaco-diff-editor");
  await diff.locator(".modified .view-lines").getByText("tzinfo=UTC").waitFor();
  for (const part of [chat.question("Make this edit?"), chat.log.locator(".diff")]) {
    await part.waitFor();
  }
});

session.step("the answer ends the run", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.setViewportSize(WINDOW);
  await chat.button(/^Allow Once/).click();
  await chat.ending.getByText("The subagent finished its work.").waitFor();
});
