import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";

import { MarkStore } from "../../../src/marks/markStore.js";
import { taggedService } from "../../../src/marks/taggedService.js";
import type { SubagentService } from "../../../src/service/service.js";

const TASK = { id: "1", root: "/r" };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "marks-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

test("a change is announced, kept for the next window, and leaves no other file", async () => {
  const store = new MarkStore(folder);
  const changed = vi.fn();
  store.onDidChange(changed);
  await store.change([TASK], (before) => ({ ...before, pinned: true }));
  const next = new MarkStore(folder);
  await next.load();
  expect([changed.mock.calls.length, next.of(TASK), await readdir(folder)]).toEqual([
    1,
    { pinned: true },
    ["marks.json"],
  ]);
});

test("windows that change at the same time lose nothing", async () => {
  const [one, other] = [new MarkStore(folder), new MarkStore(folder)];
  await one.change([TASK], () => ({ title: "Mine" }));
  await other.change([TASK], (before) => ({ ...before, tags: ["later"] }));
  await one.load();
  expect(one.of(TASK)).toEqual({ title: "Mine", tags: ["later"] });
});

test("a file that nobody changed is not announced", async () => {
  const store = new MarkStore(folder);
  await store.change([TASK], () => ({ pinned: true }));
  const changed = vi.fn();
  store.onDidChange(changed);
  await store.load();
  expect(changed).not.toHaveBeenCalled();
});

test("a folder that cannot be read is an error, and nothing is written over it", async () => {
  await writeFile(path.join(folder, "file"), "");
  const store = new MarkStore(path.join(folder, "file"));
  await expect(store.load()).rejects.toThrow();
  await expect(store.change([TASK], () => ({ pinned: true }))).rejects.toThrow();
});

test("requests name no tags to the sidecar, and the rest of the service is as it was", async () => {
  const store = new MarkStore(folder);
  await store.change([TASK], () => ({ tags: ["later"] }));
  const asked = vi.fn(() => Promise.resolve({}));
  const service = { request: asked, state: { kind: "running" } } as unknown as SubagentService;
  const tagged = taggedService(service, store);
  await tagged.request("tasks/list", { query: "tag:later", limit: 1 });
  await tagged.request("tasks/refresh", {});
  expect(asked.mock.calls).toEqual([
    ["tasks/list", { query: '(id:"1")', limit: 1 }, undefined],
    ["tasks/refresh", {}, undefined],
  ]);
  expect(tagged.state.kind).toBe("running");
});

test("an error in a query is reported at the place where it was typed, and tags are among the fields", async () => {
  const store = new MarkStore(folder);
  await store.change([TASK], () => ({ tags: ["later"] }));
  const expected = "a field (status, mode); quote the term if it is text";
  const sent = '(id:"1") nosuch:x';
  const refusal = new ResponseError(-32602, "query", {
    position: sent.indexOf("nosuch"),
    expected,
  });
  const service = { request: () => Promise.reject(refusal) } as unknown as SubagentService;
  const refused = taggedService(service, store).request("tasks/list", {
    query: "tag:later nosuch:x",
  });
  await expect(refused).rejects.toMatchObject({
    code: -32602,
    data: {
      position: "tag:later ".length,
      expected: "a field (tag, status, mode); quote the term if it is text",
    },
  });
});
