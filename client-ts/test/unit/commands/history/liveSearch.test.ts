import { expect, test, vi } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";

import { LiveSearch, type SearchRequests } from "../../../../src/commands/history/liveSearch.js";
import {
  ErrorCode,
  type ListParams,
  type ListResult,
  type SearchParams,
  type SearchResult,
} from "../../../../src/protocol.js";
import { storedTask } from "../../tasks.js";

function listed(...ids: string[]): ListResult {
  const items = ids.map((id) => storedTask(id));
  return { items, matched: items.length, total: 9, counts: {}, revision: 1 };
}

function found(snippet: string, indexed = 9): SearchResult {
  const hit = {
    taskId: "t",
    root: "/root",
    title: "T",
    kind: "ui",
    index: 3,
    role: "user",
  } as const;
  return { hits: [{ ...hit, snippet }], indexed, total: 9, revision: 1 };
}

/** A search on a sidecar that answers each request when the test says. */
function heldSearch() {
  const open: { params: ListParams; answer: (result: ListResult) => void }[] = [];
  const tasks: SearchRequests["tasks"] = (params) =>
    new Promise((answer) => open.push({ params, answer }));
  return { open, search: new LiveSearch({ tasks }, () => undefined) };
}

test("tasks and messages are found for the same text", async () => {
  const asked: (ListParams | SearchParams)[] = [];
  const search = new LiveSearch(
    {
      tasks: (params) => Promise.resolve((asked.push(params), listed("a"))),
      messages: (params) => Promise.resolve((asked.push(params), found("the roof"))),
    },
    () => undefined,
  );
  await search.find("mode:code roof");
  expect(asked[0]).toMatchObject({ query: "mode:code roof" });
  expect(asked[1]).toMatchObject({ query: "mode:code", text: "roof*" });
  expect([search.tasks.items[0]?.id, search.messages.hits[0]?.snippet]).toEqual(["a", "the roof"]);
});

test("an answer for an older text is not shown", async () => {
  const { open, search } = heldSearch();
  const first = search.find("old");
  const second = search.find("new");
  open[0]?.answer(listed("old"));
  await vi.waitFor(() => {
    expect(open).toHaveLength(2);
  });
  expect([search.tasks.items, search.isBusy]).toEqual([[], true]);
  open[1]?.answer(listed("new"));
  await Promise.all([first, second]);
  expect([search.tasks.items.map(({ id }) => id), search.isBusy]).toEqual([["new"], false]);
});

test("however fast one types, one request is open and the last text is asked for", async () => {
  const { open, search } = heldSearch();
  const all = ["a", "ab", "abc", "abcd"].map((text) => search.find(text));
  expect(open).toHaveLength(1);
  open[0]?.answer(listed());
  await vi.waitFor(() => {
    expect(open).toHaveLength(2);
  });
  expect(open[1]?.params.query).toBe("abcd");
  open[1]?.answer(listed("x"));
  await Promise.all(all);
  expect(open).toHaveLength(2);
});

test("a problem of the query is found, and reported once", async () => {
  const problem = { position: 5, expected: "a number" };
  const refuse = () => Promise.reject(new ResponseError(-32602, "query", problem));
  const search = new LiveSearch({ tasks: refuse, messages: refuse }, () => undefined);
  await search.find("cost>x roof");
  expect(search.tasks).toMatchObject({ problem, items: [] });
  expect(search.messages.error).toBeUndefined();
});

test("other errors are reported where they belong", async () => {
  const search = new LiveSearch(
    {
      tasks: () => Promise.resolve(listed("a")),
      messages: () => Promise.reject(new Error("search is turned off")),
    },
    () => undefined,
  );
  await search.find("roof");
  expect(search.tasks.error).toBeUndefined();
  expect(search.messages.error).toBe("search is turned off");
});

test("a refusal is reported without IDs", async () => {
  const message = "no stored task has the ID or prefix 'aaaa-1'";
  const refuse = () => Promise.reject(new ResponseError(ErrorCode.TaskNotFound, message));
  const search = new LiveSearch({ tasks: refuse, messages: refuse }, () => undefined);
  await search.find("roof");
  expect(search.tasks.error).toBe("This task is no longer in the history.");
  expect(search.messages.error).toBe("This task is no longer in the history.");
});

test("while messages are being indexed they are looked through again", async () => {
  vi.useFakeTimers();
  const answers = [found("few", 2), found("all")];
  const messages = vi.fn(() => Promise.resolve(answers.shift() ?? found("none")));
  const tasks = () => Promise.resolve(listed("a"));
  const search = new LiveSearch({ tasks, messages }, () => undefined);
  await search.find("roof");
  expect(search.messages.unread).toBe(7);
  await vi.runAllTimersAsync();
  expect([search.messages.hits[0]?.snippet, messages.mock.calls.length]).toEqual(["all", 2]);
  vi.useRealTimers();
});

test("a search that is closed tells nothing and asks nothing more", async () => {
  vi.useFakeTimers();
  const messages = vi.fn(() => Promise.resolve(found("few", 2)));
  const changed = vi.fn();
  const search = new LiveSearch({ tasks: () => Promise.resolve(listed("a")), messages }, changed);
  const finding = search.find("roof");
  search.dispose();
  await finding;
  await vi.runAllTimersAsync();
  expect([messages.mock.calls.length, changed.mock.calls.length]).toEqual([1, 1]);
  vi.useRealTimers();
});
