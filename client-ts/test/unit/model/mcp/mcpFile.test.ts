import { expect, test } from "vitest";

import { serverArguments } from "../../../../src/model/mcp/definition.js";
import { withServer } from "../../../../src/model/mcp/mcpFile.js";

const ENTRY = { command: "/bin/subagent-sidecar", args: ["mcp"] };

test("a new file has the server alone", () => {
  const text = '{\n  "mcpServers": {\n    "s": {\n      "command": "/bin/subagent-sidecar",';
  expect(withServer(undefined, "s", ENTRY)).toContain(text);
  expect(withServer("\n", "s", ENTRY)).toBe(withServer(undefined, "s", ENTRY));
});

test("other servers, members and the indentation stay", () => {
  const before = '{\n\t"inputs": [],\n\t"mcpServers": {"other": {"command": "x"}}\n}';
  const after = withServer(before, "s", ENTRY);
  expect(JSON.parse(after)).toEqual({
    inputs: [],
    mcpServers: { other: { command: "x" }, s: ENTRY },
  });
  expect(after).toMatch(/^\{\n\t"inputs"/u);
  expect(withServer(after, "s", ENTRY)).toBe(after);
});

test("an earlier entry is replaced", () => {
  const before = withServer(undefined, "s", { command: "/old", args: [] });
  expect(withServer(before, "s", ENTRY)).toBe(withServer(undefined, "s", ENTRY));
});

test("what the user added to an entry stays, unless the entry has an address", () => {
  const former = { command: "/old", args: [], env: { KEY: "k" } };
  const before = JSON.stringify({ mcpServers: { s: former } });
  expect(JSON.parse(withServer(before, "s", ENTRY))).toEqual({
    mcpServers: { s: { ...ENTRY, env: { KEY: "k" } } },
  });
  const remote = JSON.stringify({ mcpServers: { s: { type: "http", url: "https://host" } } });
  expect(withServer(remote, "s", ENTRY)).toBe(withServer(undefined, "s", ENTRY));
});

test("a byte order mark stays", () => {
  expect(withServer("\uFEFF{}", "s", ENTRY)).toBe(`\uFEFF${withServer("{}", "s", ENTRY)}`);
});

test.each(["{", "[]", "3", '{"mcpServers": []}', '{"a": 1} // no comments'])(
  "a file that is not valid is not changed: %s",
  (text) => {
    expect(() => withServer(text, "s", ENTRY)).toThrow(/isn't valid, so nothing was changed/u);
  },
);

test("the server starts with the workspace, and with trust only where it is given", () => {
  expect(serverArguments({})).toEqual(["mcp"]);
  expect(serverArguments({ storageRoot: "/r", workspace: "/w", isTrusted: true })).toEqual(
    ["mcp", "--storage-root", "/r", "--workspace", "/w", "--trust"], //
  );
});
