// Code is applied to files of every kind, to what is typed in them, and to what another program writes meanwhile.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Chat } from "../harness/chat.ts";
import { storeTexts } from "../harness/history.ts";
import { Probe } from "../harness/probe.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const TASK = { id: "7e2a9c41-3b5d-4f6e-8a70-1c2d3e4f5a6b", title: "Change files of every kind" };
const APPLY = "Apply the code to its file, without saving it";
const WINDOWS_LINES = "def one():\r\n    return 1\r\n\r\ndef two():\r\n    return 2";
const LARGE_LINES = 600_000;
const LARGE = Array.from({ length: LARGE_LINES }, (_, at) => `value_${at} = "${"x".repeat(32)}"\n`);
const OLD = "a = 1\nb = 2\n";

/** The blocks of the message, in their order, by what they are about. */
const BLOCKS = {
  link: ["`link.txt`", "```text\nkey\n```"],
  binary: ["`logo.bin`", "```text\nlogo\n```"],
  open: ["`src/open.py`", "```python\ndef two():\n    # Checked.\n    return 2\n```"],
  largeDiff: [
    "`large.py`",
    `\`\`\`diff\n@@ -7,4 +7,4 @@\n ${LARGE[400_000] ?? ""}-${LARGE[400_001] ?? ""}+changed = True\n\`\`\``,
  ],
  miscounted: [
    "Counted wrong:",
    "```diff\n--- a/src/counts.py\n+++ b/src/counts.py\n@@ -1,7 +1,9 @@\n a = 1\n-b = 2\n+b = 3\n```",
  ],
  delete: [
    "Not needed:",
    "```diff\n--- a/src/old.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a = 1\n-b = 2\n```",
  ],
  gone: [
    "Not there:",
    "```diff\n--- a/src/gone.py\n+++ b/src/gone.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n```",
  ],
  partly: [
    "A new file, and one that has other lines:",
    "```diff\n--- /dev/null\n+++ b/src/fresh.py\n@@ -0,0 +1 @@\n+a = 1\n" +
      "--- a/src/raced.py\n+++ b/src/raced.py\n@@ -1 +1 @@\n-no such line\n+a = 2\n```",
  ],
  raced: ["`src/raced.py`", "```python\na = 1\nmiddle = True\nb = 2\n```"],
} as const;

const session = new Session("apply-files", {
  prepare: async (profile) => {
    const storageRoot = join(profile.folder, "store");
    await storeTexts(storageRoot, TASK.id, [TASK.title, Object.values(BLOCKS).flat().join("\n\n")]);
    await profile.addFile("src/open.py", WINDOWS_LINES);
    for (const name of ["counts", "old", "raced"]) {
      await profile.addFile(`src/${name}.py`, OLD);
    }
    await profile.addFile("large.py", LARGE.join(""));
    await profile.addFile("logo.bin", "PNG\0\0\0\0logo");
    await symlink(join(profile.folder, "not-there"), join(profile.workspace, "link.txt"));
    await Probe.install(profile);
    await profile.configure({ "subagentSidecar.storageRoot": storageRoot });
    await profile.prefer({ "files.autoSave": "off" }); // the default of a browser is to save after a second
  },
});

session.step("a link that leads out of the workspace to nothing is refused", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton("Show 1 task of other workspaces").click();
  await chat.row(TASK.title).click();
  await chat.button(APPLY).first().waitFor();
  await apply(workbench, "link");
  await workbench.toast(/^link\.txt is not in this workspace/);
});

session.step("a file that is not text says so", async (workbench) => {
  await apply(workbench, "binary");
  await workbench.toast(/^logo\.bin can't be opened as text/);
});

session.step("code joins what was typed, with the ends that lines have", async (workbench) => {
  await typeInto("src/open.py", "# mine\n");
  await apply(workbench, "open");
  const text = await textWith("src/open.py", "Checked");
  const changed = WINDOWS_LINES.replace("    return 2", "    # Checked.\r\n    return 2");
  assert.equal(text, `# mine\r\n${changed}`);
  assert.equal(await onDisk("src/open.py"), WINDOWS_LINES);
});

session.step("a diff whose header counts wrong fits by its lines", async (workbench) => {
  await apply(workbench, "miscounted");
  assert.equal(await textWith("src/counts.py", "b = 3"), "a = 1\nb = 3\n");
});

session.step("a diff of a file that is not there says that it does not fit", async (workbench) => {
  await apply(workbench, "gone");
  await workbench.toast(/^The diff does not fit into src\/gone\.py/);
  assert.equal(await workbench.page.locator(".tab", { hasText: "gone.py" }).count(), 0);
});

session.step("a diff that does not fit into all files opens none of them", async (workbench) => {
  await apply(workbench, "partly");
  await workbench.toast(/^The diff does not fit into src\/raced\.py/);
  const names = await new Probe(session.profile).run<string[]>(
    "return vscode.workspace.textDocuments.map(({ fileName }) => fileName);",
  );
  assert.deepEqual(
    names.filter((name) => name.endsWith("fresh.py")),
    [], // its tab would follow
  );
});

session.step("a diff deletes a file only after a confirmation", async (workbench) => {
  const dialog = workbench.page.getByRole("dialog");
  await apply(workbench, "delete");
  await dialog.getByText("The diff deletes src/old.py. Delete now?").waitFor();
  await workbench.picture("asks-to-delete");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await onDisk("src/old.py"), OLD);
  await apply(workbench, "delete");
  await dialog.getByRole("button", { name: "Delete" }).click();
  const file = join(session.profile.workspace, "src/old.py");
  await until(
    "deleted",
    () => existsSync(file),
    (is) => !is,
  );
});

session.step("what an agent writes meanwhile is not overwritten", async (workbench) => {
  await typeInto("src/raced.py", "# mine\n");
  await writeFile(join(session.profile.workspace, "src/raced.py"), `${OLD}c = 3\n`);
  await apply(workbench, "raced");
  assert.equal(await textWith("src/raced.py", "middle"), "# mine\na = 1\nmiddle = True\nb = 2\n");
  const changed = workbench.page.locator(".monaco-diff-editor .modified .view-lines");
  await changed.getByText("middle").waitFor();
  await workbench.focusedEditor.first().waitFor();
  await workbench.page.keyboard.press("Control+S");
  await workbench.toast(/Failed to save 'raced\.py': The content of the file is newer/);
  assert.equal(await onDisk("src/raced.py"), `${OLD}c = 3\n`);
});

session.step("a file of 30 MB takes a diff", async (workbench, report) => {
  const began = performance.now();
  await apply(workbench, "largeDiff");
  const text = await textWith("large.py", "changed = True");
  report(`applied after ${Math.round(performance.now() - began)} ms`);
  assert.equal(text, LARGE.join("").replace(LARGE[400_001] ?? "", "changed = True\n"));
});

/** Select Apply of a block. */
async function apply(workbench: Workbench, block: keyof typeof BLOCKS): Promise<void> {
  await workbench.page.locator(".tab", { hasText: TASK.title }).click();
  const chat = new Chat(workbench);
  await chat.log.focus();
  await chat.button(APPLY).nth(Object.keys(BLOCKS).indexOf(block)).click();
}

/** Type at the start of a file, in an editor. */
async function typeInto(name: string, text: string): Promise<void> {
  await new Probe(session.profile).run(
    `const document = await vscode.workspace.openTextDocument(given.file);
     const editor = await vscode.window.showTextDocument(document, { preview: false });
     await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), given.text));`,
    { file: join(session.profile.workspace, name), text },
  );
}

/** Wait until a file has these words in its editor, and return its text there. */
async function textWith(name: string, words: string): Promise<string> {
  const probe = new Probe(session.profile);
  const given = { file: join(session.profile.workspace, name), words };
  const read = "const text = (await vscode.workspace.openTextDocument(given.file)).getText();";
  await until(
    `applied to ${name}`,
    () => probe.run<boolean>(`${read} return text.includes(given.words);`, given),
    (has) => has,
  );
  return probe.run<string>(`${read} return text;`, given);
}

function onDisk(name: string): Promise<string> {
  return readFile(join(session.profile.workspace, name), "utf8");
}
