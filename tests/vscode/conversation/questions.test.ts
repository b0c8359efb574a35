import assert from "node:assert/strict";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { Chat } from "../harness/chat.ts";
import { REPOSITORY } from "../harness/places.ts";
import { Probe } from "../harness/probe.ts";
import { Session } from "../harness/session.ts";
import { setTheme, THEMES, useTheme } from "../harness/themes.ts";

const AGENT = "planner";
const INQUIRING = {
  type: "acp",
  command: [
    join(REPOSITORY, ".venv/bin/python"),
    join(REPOSITORY, "tests/agents/raw.py"),
    "inquire",
  ],
};

/** What the conversation is called; the steps of the agent follow it. */
const GOAL =
  "Set up the database of the billing service. Ask me before you decide anything, and keep to my answers.";

const REGIONS = [
  "Dublin",
  "Frankfurt",
  "London",
  "Milan",
  "Oregon",
  "Paris",
  "São Paulo",
  "Seoul",
  "Tokyo",
];

/** A question with a field of every kind. */
const DATABASE = {
  message: "How should I set up the database?\nI create the schema as soon as I know.",
  requestedSchema: {
    type: "object",
    properties: {
      engine: {
        type: "string",
        title: "Engine",
        oneOf: [
          { const: "sqlite", title: "SQLite", description: "One file, no server" },
          { const: "postgres", title: "PostgreSQL", description: "For several writers" },
        ],
      },
      port: { type: "integer", title: "Port", minimum: 1, maximum: 65_535 },
      extras: {
        type: "array",
        title: "Extras",
        description: "What the schema gets besides its tables",
        minItems: 1,
        items: {
          anyOf: ["Indexes", "Views", "Sample data"].map((title) => ({ const: title, title })),
        },
      },
      owner: { type: "string", title: "Owner", format: "email" },
      region: { type: "string", title: "Region", enum: REGIONS },
      backup: { type: "boolean", title: "Make a backup first" },
      remarks: { type: "string", title: "Remarks", maxLength: 2000 },
    },
    required: ["engine", "port", "extras"],
  },
};
const NAME = {
  message: "What is the name of the service?",
  requestedSchema: {
    type: "object",
    properties: { name: { type: "string", title: "Name", minLength: 3 } },
    required: ["name"],
  },
};

const session = new Session("questions", {
  prepare: async (profile) => {
    await profile.addFile(
      `.sidecar/agents/${AGENT}.md`,
      `---\nname: ${AGENT}\ndescription: Asks before it plans.\nrunner: inquiring\n---\nPlan.\n`,
    );
    await profile.configure({ "subagentSidecar.runners": { inquiring: INQUIRING } });
    await Probe.install(profile);
  },
});

// docs/extension.md shows its picture as docs/images/question.png.
session.step("a question is a form in its conversation", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launchScript(AGENT, [GOAL, JSON.stringify({ questions: [DATABASE, NAME] })]);
  const form = chat.question("How should I set up the database?");
  await form.getByRole("radio", { name: "SQLite" }).waitFor();
  for (const name of ["Port", "Owner", "Remarks"]) {
    await form.getByRole("textbox", { name }).waitFor();
  }
  assert.equal(await form.getByRole("combobox", { name: "Region" }).locator("option").count(), 10);
  assert.equal(await form.getByRole("checkbox").count(), 3);
  assert.deepEqual(await seriousFindings(workbench.editorPage), []);
});

session.step("an answer that does not fit is refused field by field", async (workbench) => {
  const chat = new Chat(workbench);
  const form = chat.question("How should I set up the database?");
  await form.getByRole("textbox", { name: "Port" }).fill("70000");
  await form.getByRole("textbox", { name: "Owner" }).fill("ann");
  await chat.button("Send Answer").click();
  await form.getByText("Enter 65535 or less.").waitFor();
  await form.getByText("Enter an email address.").waitFor();
  assert.equal(await form.getByText("Choose an answer.").count(), 2); // of the engine and the extras
  const focused = chat.frame.locator(":focus");
  assert.equal(await focused.getAttribute("type"), "radio"); // the first field with a mistake
  const probe = new Probe(session.profile);
  for (const theme of THEMES) {
    await useTheme(probe, workbench, theme, [workbench.editorPage]);
    assert.deepEqual(await seriousFindings(workbench.editorPage), [], theme.name);
  }
  await setTheme(probe, workbench, undefined);
});

session.step("keys alone fill it in and send it", async (workbench) => {
  const chat = new Chat(workbench);
  const { keyboard } = workbench.page;
  const form = chat.question("How should I set up the database?");
  await keyboard.press("ArrowDown");
  assert.equal(await form.getByRole("radio", { name: "PostgreSQL" }).isChecked(), true);
  await keyboard.press("Tab");
  await keyboard.type("5432"); // Tab selected what was there
  await keyboard.press("Tab");
  await keyboard.press("Space");
  await keyboard.press("Tab");
  await keyboard.press("Tab");
  await keyboard.press("Space");
  await keyboard.press("Tab");
  await keyboard.type("ann@example.com");
  await keyboard.press("Tab");
  await keyboard.press("P"); // the first that begins so
  await keyboard.press("Tab");
  await keyboard.press("Space");
  assert.equal(await form.locator(".field-problem").count(), 0);
  await workbench.picture("the-form-is-filled-in");
  await form.getByRole("textbox", { name: "Port" }).press("Enter");
  const reply = chat.log.locator(".form-reply");
  for (const words of ["Answered", "PostgreSQL", "5432", "Indexes, Sample data", "Paris", "Yes"]) {
    await reply.getByText(words, { exact: true }).waitFor();
  }
});

session.step(
  "out of sight, a simple question is asked at the top of the window",
  async (workbench) => {
    const chat = new Chat(workbench);
    await chat.question(NAME.message).waitFor();
    await workbench.run("View: Close All Editors");
    await workbench.openSideBar("Explorer");
    await workbench.run("Subagents: Answer Question");
    const input = workbench.page.locator(".quick-input-widget input[type=text]");
    await input.fill("ab");
    await workbench.page.getByText("Enter at least 3 characters.").waitFor();
    await workbench.picture("a-simple-question-at-the-top");
    await input.fill("billing");
    await workbench.page.getByText("Enter at least 3 characters.").waitFor({ state: "hidden" });
    await workbench.page.keyboard.press("Enter");
    await workbench.openSideBar("Subagents");
    await chat.row("Set up the database").click();
    await chat.ending.getByText("The subagent finished its work.").waitFor();
    await chat.log.getByText("billing").first().waitFor();
  },
);
