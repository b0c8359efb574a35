import { expect, test } from "vitest";

import { type Reminder, Reminders } from "../../../../src/model/reminders/reminders.js";
import type { SubagentService } from "../../../../src/service/service.js";

/** A sidecar that has the ends `a`; an acknowledgement counts by the newest id only, as in the real one. */
function sidecar() {
  const state = { pending: ["a"], deliveries: 0, beforeAnswer: () => Promise.resolve() };
  const requests = {
    "reminders/next": async () => {
      state.deliveries += 1;
      const answer = {
        text: "ended",
        taskIds: [...state.pending],
        deliveryId: `d${state.deliveries}`,
      };
      await state.beforeAnswer();
      return answer;
    },
    "reminders/delivered": ({ deliveryId }: { deliveryId: string }) => {
      state.pending = deliveryId === `d${state.deliveries}` ? [] : state.pending;
      return Promise.resolve(null);
    },
  };
  const request = (method: keyof typeof requests, params: { deliveryId: string }) =>
    requests[method](params);
  return { state, reminders: new Reminders({ request } as unknown as SubagentService) };
}

function ride(reminders: Reminders): Promise<Reminder | undefined> {
  return reminders.ride(async (take) => {
    const carried = await take();
    return { result: carried, carried };
  });
}

test("what a model has read is not repeated to a call that had asked for it before", async () => {
  const { state, reminders } = sidecar();
  expect(await ride(reminders)).toMatchObject({ taskIds: ["a"] });
  state.beforeAnswer = () => reminders.callBegins();
  expect(await ride(reminders)).toBeUndefined();
  expect(state.pending).toEqual([]);
});

test("what rides on a result is not pending, and its acknowledgement counts after it was asked for", async () => {
  const { state, reminders } = sidecar();
  await ride(reminders);
  expect(await reminders.pending()).toBeUndefined();
  await reminders.callBegins();
  expect(state.pending).toEqual([]);
});

test("only one of two results that are composed at once gets a reminder", async () => {
  const { reminders } = sidecar();
  const both = await Promise.all([ride(reminders), ride(reminders)]);
  expect(both.filter((each) => each !== undefined)).toHaveLength(1);
});

test("a result that cannot be composed leaves the reminder pending and does not block others", async () => {
  const { reminders } = sidecar();
  const failed = reminders.ride(async (take) => {
    await take();
    throw new Error("no room");
  });
  await expect(failed).rejects.toThrow("no room");
  expect(reminders.hasCarried(["a"])).toBe(false);
  expect(await ride(reminders)).toMatchObject({ taskIds: ["a"] });
});
