import { describe, expect, it } from "vitest";

import type { TaskInfo } from "../../../src/protocol.js";
import { TaskRows } from "../../../src/views/historyRows.js";
import { storedTask } from "../tasks.js";

describe("the rows of the history", () => {
  it("are all to be drawn when they are first listed", () => {
    expect(rows().take([task("a"), task("b")])).toBe("all");
  });

  it("keep their objects, and need nothing while nothing changes", () => {
    const tasks = rows();
    tasks.take([task("a"), task("b")]);
    const before = [...tasks.rows];
    expect(tasks.take([task("a"), task("b")])).toEqual([]);
    expect(tasks.rows[0]).toBe(before[0]);
  });

  it("are drawn alone when they alone differ", () => {
    const tasks = rows();
    tasks.take([task("a"), task("b")]);
    const changed = tasks.take([task("a"), task("b", { title: "renamed" })]);
    expect(changed).toEqual([tasks.rows[1]]);
    expect(tasks.rows[1]?.title).toBe("renamed");
  });

  it.each([
    ["came", ["a", "b", "c"]],
    ["went", ["a"]],
    ["moved", ["b", "a"]],
  ])("are all drawn when one %s, and keep their objects", (_, ids) => {
    const tasks = rows();
    tasks.take([task("a"), task("b")]);
    const [first] = tasks.rows;
    expect(tasks.take(ids.map((id) => task(id)))).toBe("all");
    expect(tasks.rows.find(({ id }) => id === "a")).toBe(first);
  });

  it("tell the same task of two roots apart", () => {
    const tasks = rows();
    tasks.take([task("a", { root: "/one" }), task("a", { root: "/two" })]);
    const [one, two] = tasks.rows;
    expect(one).not.toBe(two);
    expect([one?.root, two?.root]).toEqual(["/one", "/two"]);
    expect(tasks.take([task("a", { root: "/two" }), task("a", { root: "/one" })])).toBe("all");
    expect([...tasks.rows]).toEqual([two, one]);
  });
});

function rows(): TaskRows {
  return new TaskRows((task) => JSON.stringify(task));
}

function task(id: string, facts: Partial<TaskInfo> = {}): TaskInfo {
  return storedTask(id, facts);
}
