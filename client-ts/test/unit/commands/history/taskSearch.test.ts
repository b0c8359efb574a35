import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";

import {
  searchTasks,
  type TaskSearchOptions,
} from "../../../../src/commands/history/taskSearch.js";
import type { AsyncTask, ListParams, SearchResult } from "../../../../src/protocol.js";
import { setHome } from "../../../../src/text/places.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { shown } from "../../../vscode.js";
import { asyncTask, storedTask } from "../../tasks.js";

const HIT: SearchResult["hits"][number] = {
  taskId: "t9",
  root: "/root",
  title: "Roofs",
  kind: "api",
  index: 4,
  role: "user",
  snippet: "the \u0002roof\u0003 leaks",
};

/** A sidecar with one task and one message; the query `cost>` is at problem. */
const hits = [HIT];
const tasks = [storedTask("t1")];
const partlySearched: NonNullable<SearchResult["partlySearched"]> = [];
const runs = new Map<string, AsyncTask>();
const service = {
  tasks: runs,
  request: (method: string, params: ListParams) => {
    if (params.query === "cost>") {
      const data = { position: 5, expected: "a value for cost" };
      return Promise.reject(new ResponseError(-32602, "query", data));
    }
    return Promise.resolve(
      method === "tasks/search"
        ? {
            hits: [...hits],
            indexed: 1,
            total: 3,
            revision: 1,
            partlySearched: [...partlySearched],
          }
        : { items: tasks, matched: 1, total: 2_000, counts: {}, revision: 1 },
    );
  },
} as unknown as SubagentService;

function opened(options: Partial<TaskSearchOptions> = {}) {
  const chosen = searchTasks(service, { title: "Search", messages: true, ...options });
  const { pick } = shown;
  if (pick === undefined) {
    throw new Error("no quick pick was shown");
  }
  const typed = async (text: string): Promise<void> => {
    pick.type(text);
    await vi.waitFor(() => {
      expect([pick.value, pick.busy]).toEqual([text, false]);
    });
  };
  return { chosen, pick, typed };
}

beforeEach(() => {
  delete shown.pick;
  tasks.splice(0, 1, storedTask("t1"));
  hits.splice(1);
  runs.clear();
  partlySearched.splice(0);
});
afterEach(() => {
  shown.pick?.hide(); // one that stays open keeps editors of later tests as they are
});

test("tasks and messages are listed with what was found, and how much is still unread", async () => {
  const { pick, typed, chosen } = opened();
  await typed("roof ");
  await vi.waitFor(() => {
    expect(pick.items).toHaveLength(2);
  });
  expect(pick.items[0]).toMatchObject({ label: "Mend the roof", alwaysShow: true });
  expect(pick.items[1]).toMatchObject({ detail: "the roof leaks", alwaysShow: true });
  expect(pick.title).toBe(
    "Search · 1 of 2,000 tasks · 1 message shown · still reading the messages of 2 tasks",
  );
  pick.hide();
  expect(await chosen).toBeUndefined();
});

test("a run is shown with the state that the list has", async () => {
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" as const }];
  const attention = { kind: "permission" as const, requestId: "r", title: "Write", options };
  runs.set("t1", asyncTask("t1", { attention }));
  tasks.splice(
    0,
    1,
    storedTask("t1", { product: "sidecar", status: "active", outcome: "streaming" }),
  );
  const { pick, typed } = opened();
  await typed("roof ");
  await vi.waitFor(() => {
    expect(pick.items[0]).toMatchObject({ description: "Needs you" });
  });
});

test("a task is shown with its state, its agent and its folder, and not by its ID", async () => {
  setHome("/home/ada");
  const id = "5dc2dcc1-9f8a-46b4-87a6-0b07923b3700";
  const outcome = "interrupted";
  tasks.splice(0, 1, storedTask(id, { mode: { current: "code" }, workspaceDir: "/home/ada/site" }));
  const { pick, typed } = opened();
  await typed("roof ");
  await vi.waitFor(() => {
    expect(pick.items[0]).toMatchObject({
      description: "Completed",
      detail: "roo · code · ~/site",
      chosen: { id },
    });
  });
  const mode = { current: "task", name: "reviewer" };
  tasks.splice(0, 1, storedTask(id, { outcome, product: "sidecar", mode, workspaceDir: "/srv" }));
  await typed("roof");
  await vi.waitFor(() => {
    expect(pick.items[0]).toMatchObject({ description: "Interrupted", detail: "reviewer · /srv" });
  });
  expect(JSON.stringify(pick.items.map((item) => ({ ...item, chosen: "" })))).not.toContain(id);
  setHome("");
});

test("the tasks that were searched only in part are named with the reason, and can be opened", async () => {
  const message = "ui_messages.json exceeds 64 MiB";
  partlySearched.push({ taskId: "a", root: "/root", title: "[x](command:y) $(alert)", message });
  for (let count = 0; count < 6; count += 1) {
    partlySearched.push({ taskId: `b${count}`, root: "/root", title: "", message });
  }
  const { pick, typed, chosen } = opened();
  await typed("roof ");
  await vi.waitFor(() => {
    expect(pick.items).toHaveLength(9);
  });
  const rows = pick.items.slice(2) as { description: string; detail?: string }[];
  expect(rows.map(({ description }) => description)).toEqual([
    ...["7 tasks were searched only in part", "[x](command:y) \\$(alert)"],
    ...Array<string>(4).fill("(untitled)"),
    "and 2 more",
  ]);
  expect(rows[1]?.detail).toBe(message);
  pick.accept(pick.items[2]); // it only informs
  pick.accept(pick.items[3]);
  expect(await chosen).toEqual({ id: "a", root: "/root" });
});

test("a message is chosen with its place", async () => {
  const { pick, typed, chosen } = opened();
  await typed("roof ");
  await vi.waitFor(() => {
    expect(pick.items).toHaveLength(2);
  });
  pick.accept(pick.items[1]);
  const message = { kind: "api", index: 4 };
  expect(await chosen).toEqual({ id: "t9", root: "/root", message });
});

test("a problem of the query is shown in place, and cannot be chosen", async () => {
  const { pick, typed, chosen } = opened();
  await typed("cost>");
  await vi.waitFor(() => {
    expect(pick.items).toEqual([
      {
        label: "$(warning)",
        description: "At character 6: expected a value for cost",
        detail: "cost>▸",
        alwaysShow: true,
      },
    ]);
  });
  pick.accept(pick.items[0]);
  pick.hide();
  expect(await chosen).toBeUndefined();
});

test("a button gets what is typed, and closes the search", async () => {
  const run = vi.fn();
  const { pick, typed, chosen } = opened({ buttons: [{ icon: "filter", tooltip: "Use", run }] });
  await typed("roof");
  pick.press(pick.buttons[0]);
  expect(await chosen).toBeUndefined();
  expect(run).toHaveBeenCalledExactlyOnceWith("roof");
});

test("what is found later leaves the user's place in the list", async () => {
  const { pick, typed, chosen } = opened();
  await typed("roof ");
  await vi.waitFor(() => {
    expect(pick.items).toHaveLength(2);
  });
  pick.activeItems = pick.items.slice(1);
  hits.push({ ...HIT, index: 5 });
  pick.type("roof "); // The same text is looked for again.
  await vi.waitFor(() => {
    expect(pick.items).toHaveLength(3);
  });
  expect(pick.activeItems[0]).toBe(pick.items[1]);
  pick.hide();
  await chosen;
});

test("rows that are found again stay the same, so that a click on one counts", async () => {
  const { pick, typed, chosen } = opened();
  await typed("roof ");
  await vi.waitFor(() => {
    expect(pick.items).toHaveLength(2);
  });
  const before = pick.items;
  const request = vi.spyOn(service, "request");
  pick.type("roof "); // The same text is looked for again.
  await vi.waitFor(() => {
    expect(pick.busy).toBe(false);
    expect(request.mock.calls.length).toBeGreaterThan(1); // one more if the first search is late
  });
  request.mockRestore();
  expect(pick.items).toBe(before);
  pick.hide();
  await chosen;
});
