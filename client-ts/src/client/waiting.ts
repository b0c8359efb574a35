/** Settle as `promise` does, or reject with the signal's reason if that comes first. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = whenAborted(signal);
  try {
    return await Promise.race([
      promise,
      aborted.promise.then(() => Promise.reject(reasonOf(signal))),
    ]);
  } finally {
    aborted.forget();
  }
}

/** Resolve to true once `promise` settles, to false after `ms`. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Wait `ms`, or until the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const aborted = whenAborted(signal);
  try {
    await settlesWithin(aborted.promise, ms);
  } finally {
    aborted.forget();
  }
}

/** Resolve when the signal is aborted; `forget` when it no longer matters, to free the signal. */
export function whenAborted(signal: AbortSignal): { promise: Promise<void>; forget: () => void } {
  let listener = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    listener = resolve;
  });
  if (signal.aborted) {
    listener();
  } else {
    signal.addEventListener("abort", listener, { once: true });
  }
  const forget = (): void => {
    signal.removeEventListener("abort", listener);
  };
  return { promise, forget };
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
}
