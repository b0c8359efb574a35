import { isRefusal } from "../errors.js";
import { warn } from "../notify.js";
import { ErrorCode } from "../protocol.js";

/** Ask for a run; over the limit the user may have it wait for its turn, or leave it: undefined. */
export async function orQueue<T>(
  ask: (wish: { overLimit?: "queue" }) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await ask({});
  } catch (error) {
    if (!isRefusal(error, ErrorCode.LimitReached)) {
      throw error;
    }
    const queue = "Queue It";
    const chosen = await warn(error.message, queue);
    return chosen === queue ? ask({ overLimit: "queue" }) : undefined;
  }
}
