import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { FileLock } from "../../../src/setup/fileLock.js";

const GONE = 2 ** 30;
let file: string;

beforeEach(async () => {
  file = path.join(await mkdtemp(path.join(tmpdir(), "sidecar-lock-")), "lock");
});
afterEach(() => rm(path.dirname(file), { recursive: true }));

function acquire(signal = new AbortController().signal, onWait = () => undefined) {
  return FileLock.acquire(file, signal, onWait);
}

test("a second taker waits until the first releases", async () => {
  const first = await acquire();
  let wait = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    wait = resolve;
  });
  const second = acquire(undefined, () => {
    wait();
    return undefined;
  });
  await waiting;
  await first.release();
  await (await second).release();
});

test("the lock of a process that is gone is taken over", async () => {
  await writeFile(file, String(GONE));
  await (await acquire()).release();
});

test("a lock older than any setup is taken over", async () => {
  await writeFile(file, String(process.pid));
  const longAgo = Date.now() / 1000 - 3600;
  await utimes(file, longAgo, longAgo);
  await (await acquire()).release();
});

test("waiting ends with an abort", async () => {
  await writeFile(file, String(process.pid));
  const abort = new AbortController();
  const waiting = acquire(abort.signal, () => {
    abort.abort(new Error("enough"));
    return undefined;
  });
  await expect(waiting).rejects.toThrow("enough");
});
