import type { Reminder, Take } from "../reminders/reminders.js";
import { tools as words } from "../text/strings.js";
import type { CountTokens } from "./budget.js";

/** The largest part of a token budget that a reminder may take, unless it is the shortest one. */
const SHARE = 0.75;
const TRIES = 4;

/** A reminder as a part of a result, and its size in tokens. */
export interface ReminderBlock {
  readonly reminder: Reminder;
  readonly text: string;
  readonly size: number;
}

/**
 * Return the pending reminder for a result with a budget in tokens; undefined if nothing is pending. One that
 * is too long is taken again with fewer or shorter ends, the last time as short as it gets: only a budget
 * below that leaves it to a later result.
 */
export async function reminderBlock(
  take: Take,
  budget: number,
  count: CountTokens,
): Promise<ReminderBlock | undefined> {
  let maxChars: number | undefined;
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const reminder = await take(maxChars).catch(() => undefined); // A later result carries it.
    if (reminder === undefined) {
      return undefined;
    }
    const text = `${words.reminder}\n\n${reminder.text}`;
    const size = await count(text);
    const room = tries === TRIES ? budget : budget * SHARE;
    if (size <= room) {
      return { reminder, text, size };
    }
    maxChars = tries === TRIES - 1 ? 1 : shorter(reminder, text, room / size);
  }
  return undefined;
}

/** Return the characters of a reminder that probably fits, by the share of `text` that does. */
function shorter(reminder: Reminder, text: string, share: number): number {
  const whole = Math.floor(text.length * Math.min(0.9, share * 0.95));
  return Math.max(1, whole - (text.length - reminder.text.length));
}
