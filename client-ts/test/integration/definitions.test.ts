// What *New Subagent Definition* writes, read by the real sidecar.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { definitionText } from "../../src/commands/definitions/definitionFile.js";
import { Workshop } from "./workshop.js";

let workshop: Workshop;
beforeEach(async () => {
  workshop = await Workshop.open();
});
afterEach(() => workshop.close());

test.each([
  ["greeter", "Says hello."],
  ["on", 'Says "hello": to all # and \\ to me'],
  ["123", "- ünïcode 🙂 {not: yaml}"],
])("the definition %j has no mistake", async (name, description) => {
  const folder = path.join(workshop.workspace, ".sidecar", "agents");
  await mkdir(folder, { recursive: true });
  const text = definitionText({ name, description, runner: "counter" });
  await writeFile(path.join(folder, `${name}.md`), text);
  await workshop.client.start();
  const { items, problems } = await workshop.client.request("subagents/list", {});
  expect(problems).toEqual([]);
  expect(items).toContainEqual(expect.objectContaining({ name, description, runner: "counter" }));
});
