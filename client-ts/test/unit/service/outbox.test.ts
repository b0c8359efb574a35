import { expect, test } from "vitest";

import { Outbox } from "../../../src/service/outbox.js";
import type { TaskEvent } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { FakeMemento } from "../memory.js";

const LATER = Date.now() + 60_000;

/** A sidecar that takes messages, with the events of its one run. */
function sidecar(events: TaskEvent[] = [], delivery: "now" | "nextTurn" | Error = "nextTurn") {
  const request = (method: string, { afterSeq }: { afterSeq?: number }) => {
    if (method === "asyncTasks/events") {
      const page = events.filter(({ seq }) => seq > (afterSeq ?? 0)).slice(0, 2);
      const more = (events.at(-1)?.seq ?? 0) > (page.at(-1)?.seq ?? 0);
      return Promise.resolve({ events: page, more, lastSeq: events.length, revision: 1 });
    }
    return delivery instanceof Error ? Promise.reject(delivery) : Promise.resolve({ delivery });
  };
  return { request } as unknown as SubagentService;
}

function delivered(seq: number, text: string, ts = LATER): TaskEvent {
  return { type: "message", messageId: `u${seq}`, role: "user", seq, ts, text };
}

function spoken(seq: number): TaskEvent {
  return { type: "message", messageId: "a", seq, ts: LATER, text: "Docs" };
}

test("a queued message is remembered by the next window", async () => {
  const memento = new FakeMemento();
  await new Outbox(memento, sidecar()).send("t1", "Docs");
  expect(await new Outbox(memento, sidecar()).undelivered("t1")).toEqual(["Docs"]);
  expect(await new Outbox(memento, sidecar()).undelivered("t2")).toEqual([]);
});

test("one that the run's events show is delivered", async () => {
  const memento = new FakeMemento();
  const events = [spoken(1), spoken(2), spoken(3), delivered(4, "Docs")];
  const outbox = new Outbox(memento, sidecar(events));
  await outbox.send("t1", "Docs");
  await outbox.send("t1", "Tests");
  expect(await outbox.undelivered("t1")).toEqual(["Tests"]);
});

test("the same words of an earlier message are another message", async () => {
  const outbox = new Outbox(new FakeMemento(), sidecar([delivered(1, "Docs", 1_000)]));
  await outbox.send("t1", "Docs");
  expect(await outbox.undelivered("t1")).toEqual(["Docs"]);
});

test("words sent twice are delivered one by one", async () => {
  const outbox = new Outbox(new FakeMemento(), sidecar());
  await outbox.send("t1", "Continue");
  await outbox.send("t1", "Continue");
  await outbox.take("t1", [delivered(1, "Continue")]);
  expect(await outbox.undelivered("t1")).toEqual(["Continue"]);
});

test.each(["now" as const, new Error("is ending")])(
  "nothing is remembered of a message that is delivered or refused (%s)",
  async (delivery) => {
    const outbox = new Outbox(new FakeMemento(), sidecar([], delivery));
    await outbox.send("t1", "Docs").catch(() => undefined);
    expect(await outbox.undelivered("t1")).toEqual([]);
  },
);

test("a message that is taken back is forgotten", async () => {
  const outbox = new Outbox(new FakeMemento(), sidecar());
  await outbox.send("t1", "Docs");
  await outbox.forget("t1", "Docs");
  expect(await outbox.undelivered("t1")).toEqual([]);
});

test("what is remembered is bounded", async () => {
  const memento = new FakeMemento();
  const outbox = new Outbox(memento, sidecar());
  for (let run = 0; run < 80; run += 1) {
    await outbox.send(`t${run}`, "Docs");
  }
  expect(await outbox.undelivered("t0")).toEqual([]);
  expect(await outbox.undelivered("t79")).toEqual(["Docs"]);
});
