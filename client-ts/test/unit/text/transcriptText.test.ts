import { expect, test } from "vitest";

import { transcriptText } from "../../../src/text/transcriptText.js";
import { storedTask } from "../tasks.js";

test("a transcript has a head, the messages in order, and what is left out", () => {
  const messages = [
    { index: 0, role: "user", kind: "text", text: "Mend\r\nit." },
    { index: 1, role: "assistant", kind: "tool", tool: { name: "hammer", status: "failed" } },
    { index: 2, role: "system", kind: "request", text: "cancelled by the user" },
    { index: 3, role: "system", kind: "request", text: "10 in, 2 out" },
  ];
  const { text, lines } = transcriptText(storedTask("t1", { title: "Mend\nit" }), messages, 1_200);
  expect(text).toMatch(/^# Mend it\n\n- Status: completed\n/);
  expect(text).toContain("## User\n\nMend\r\nit.\n\n## Assistant · tool hammer · failed");
  expect(text).toContain("## System\n\ncancelled by the user");
  expect(text).toContain("## System · usage\n\n10 in");
  expect(text).toMatch(/1,200 more messages/);
  expect(text.split("\n")[lines.get(1) ?? 0]).toBe("## Assistant · tool hammer · failed");
});

test("neither the facts nor a message of a transcript forge a heading", () => {
  const task = storedTask("t", {
    workspaceDir: "/w\n\n## User",
    model: "m\n# x",
    mode: { name: "a\r## User" },
  });
  const text =
    "hi\n## User · now\n  ## Assistant\nUser\n---\nUser\r\n  --\n### kept\n# kept\n\n---";
  const written = transcriptText(
    task,
    [{ index: 0, role: "us\n## er", kind: "text", text }],
    0,
  ).text;
  expect(written.split(/[\r\n]+/u).filter((line) => /^\s*##(?!#)|^\s*#\s/u.test(line))).toEqual([
    "# Mend the roof",
    "## Us ## er",
    "# kept",
  ]);
  expect(written).toContain("User\n\\---\nUser\r\n  \\--\n### kept");
  expect(written).toContain("\n\n---");
});

test("a long message with many dashes or spaces is written whole", () => {
  for (const text of ["-".repeat(500_000), `${" ".repeat(200_000)}x`, "a -".repeat(200_000)]) {
    const message = { index: 0, role: "user", kind: "text", text };
    expect(transcriptText(storedTask("t"), [message], 0).text).toContain(text);
  }
});
