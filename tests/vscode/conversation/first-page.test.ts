import { defineScripted, defineWithSteps, SCRIPTS_RUNNER } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { storeInClaude, storeInExtension, type Story } from "../harness/stories.ts";
import { WINDOW } from "../harness/workbench.ts";

const ROOMY = { width: 1180, height: 1060 };
const WIDER_BY = 110;

const FOLDER = "/home/ada/shop";
/** What was done before, with other products. */
const HISTORY: readonly (readonly ["kilo" | "roo" | "cline", Story])[] = [
  ["kilo", story("Move the price rules out of the checkout", "The rules are in `prices.py`.", 27)],
  ["roo", story("Add paging to the list of orders", "The list has pages of 50 orders.", 50)],
  ["cline", story("Find out why the build is slow", "Half of the time goes into types.", 76)],
];

function story(title: string, answer: string, hoursAgo: number): Story {
  return { title, answer, hoursAgo, folder: FOLDER };
}

const session = new Session("first-page", {
  prepare: async (profile) => {
    await defineScripted(profile);
    await profile.addFile("src/days.py", "FIRST_DAY = datetime(2026, 11, 22)");
    await defineWithSteps(profile, "surveyor", "Explores the sources and reports what is where.", [
      'say "There are 14 modules."',
    ]);
    await defineWithSteps(profile, "fixer", "Fixes one bug and runs the tests.", [
      'think "Which dates are created without a time zone?"',
      'say "One date has no time zone. I will add one, then run the tests."',
      'plan "+Find dates without a time zone;*Add the time zone;Run the tests"',
      "usage 8100 900 0.04",
      'write src/days.py "FIRST_DAY = datetime(2026, 11, 22, tzinfo=UTC)"',
      'say "The date has a time zone now."',
    ]);
    const roots = await Promise.all(
      HISTORY.map(([product, story]) => storeInExtension(profile.folder, product, story)),
    );
    await storeInClaude(profile.folder, {
      ...{ title: "Explain the cache of the orders", hoursAgo: 3, folder: profile.workspace },
      answer: "It is emptied when an order changes, and every hour.",
    });
    await profile.configure({
      "subagentSidecar.runners": { scripts: SCRIPTS_RUNNER },
      "subagentSidecar.foreignRoots": roots,
    });
  },
});

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

// docs/extension.md begins with its picture, docs/images/agents.png.
session.step("one list has what waits, what ended and what came before", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.run("View: Revert and Close Editor"); // the diff
  await workbench.page.setViewportSize(WINDOW);
  await chat.row("Give every date a time zone").click();
  await chat.question("Make this edit?").waitFor();
  await workbench.run("Subagents: Show All Workspaces");
  await chat.row("Find out why the build is slow").waitFor();
});

session.step("the answer ends the run", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.setViewportSize(WINDOW);
  await chat.button(/^Allow Once/).click();
  await chat.ending.getByText("The subagent finished its work.").waitFor();
});
