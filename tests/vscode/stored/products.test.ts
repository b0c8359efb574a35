// The tasks of several products are one history: listed, searched, pinned, added up and checked together.
import { join } from "node:path";

import { Chat } from "../harness/chat.ts";
import { OWN_TASK, storeOwnTask } from "../harness/history.ts";
import { Session } from "../harness/session.ts";
import { storeInClaude, storeInExtension, storeInGemini } from "../harness/stories.ts";

const SHOP = "/home/ada/shop";
const SITE = "/home/ada/site";
const PINNED = "Move the price rules out of the checkout";

const session = new Session("products", {
  prepare: async (profile) => {
    const { folder } = profile;
    const storageRoot = join(folder, "store");
    await storeOwnTask(storageRoot);
    await storeInClaude(folder, {
      ...{ title: "Mend the flaky sign-in test", hoursAgo: 1, folder: SHOP },
      answer:
        "The test waits for the redirect now, so the order of the requests no longer matters.",
      edit: {
        path: `${SHOP}/tests/sign_in.py`,
        before: "click(button)\n",
        after: "click(button)\nwait_for(redirect)\n",
      },
    });
    await storeInGemini(folder, {
      ...{ title: "Explain how the cache of the orders is emptied", hoursAgo: 3, folder: SHOP },
      answer: "It is emptied when an order changes, and every hour.",
    });
    const roots = [
      await storeInExtension(folder, "kilo", {
        ...{ title: PINNED, hoursAgo: 5, folder: SITE },
        answer: "The rules are in `prices.py`, with their own tests.",
      }),
      await storeInExtension(folder, "roo", {
        ...{ title: "Add paging to the list of orders", hoursAgo: 26, folder: SITE },
        answer: "The list has pages of 50 orders; the order of the rows is stable.",
      }),
      await storeInExtension(folder, "cline", {
        ...{ title: "Find out why the build is slow", hoursAgo: 30, folder: SITE },
        answer: "Half of the time goes into type checking the tests.",
      }),
      await storeInExtension(folder, "zoo", {
        ...{ title: "Write release notes for 2.4", hoursAgo: 75, folder: SHOP },
        answer: "The notes are in `CHANGELOG.md`.",
      }),
    ];
    await profile.configure({
      "subagentSidecar.storageRoot": storageRoot,
      "subagentSidecar.foreignRoots": roots,
    });
  },
});

session.step(
  "the tasks of six products are in one list, and open in one view",
  async (workbench) => {
    const chat = new Chat(workbench);
    await chat.listButton(/^Show [\d,]+ tasks? of other workspaces$/).click();
    for (const product of ["claude", "gemini", "kilo", "roo", "cline", "zoo"]) {
      await chat.row(product).first().waitFor();
    }
    await chat.row("Mend the flaky sign-in test").getByText("+1 −0").waitFor();
    await chat.row("Mend the flaky sign-in test").click();
    await chat.says("The test waits for the redirect now");
  },
);

session.step(
  "what a stored task changed is shown as a diff, and opens as one",
  async (workbench) => {
    const chat = new Chat(workbench);
    await chat.log.locator(".row-new", { hasText: "wait_for(redirect)" }).waitFor();
    await chat.button("View All Changes").click();
    const diff = workbench.page.locator(".monaco-diff-editor");
    await diff.locator(".modified .view-lines").getByText("wait_for(redirect)").waitFor();
    await workbench.run("View: Revert and Close Editor");
  },
);

session.step("one search finds words in the messages of all of them", async (workbench) => {
  await workbench.run("Subagents: Search Task History");
  await workbench.type("order");
  await workbench.row("Add paging").first().waitFor();
  await workbench.row("It is emptied when an order changes").waitFor();
});

session.step("one of them is pinned and tagged, and all are sorted by cost", async (workbench) => {
  await workbench.page.keyboard.press("Escape");
  const chat = new Chat(workbench);
  await workbench.chooseFromMenu(chat.row(PINNED), "Pin Task");
  await chat.list.getByRole("button", { name: "Pinned, 1 task" }).waitFor();
  await workbench.chooseFromMenu(chat.row(PINNED), "Edit Tags");
  await workbench.answer("release");
  await chat.row("#release").waitFor();
  await workbench.run("Subagents: Sort History By…");
  await workbench.pick("Cost");
  await chat.list.getByText("History by Cost").waitFor();
});

session.step("their usage is added up in one page", async (workbench) => {
  await workbench.run("Subagents: Show Usage Totals");
  const page = await workbench.renderedPage("Usage Totals");
  await page.getByRole("heading", { name: "By product", exact: true }).scrollIntoViewIfNeeded();
  await page.getByText("gemini").first().waitFor();
});

session.step("the check names the one that is damaged", async (workbench) => {
  await workbench.run("Subagents: Diagnose Task History");
  const report = await workbench.renderedPage("Task History Diagnosis");
  await report.getByRole("link", { name: OWN_TASK.title }).waitFor();
});
