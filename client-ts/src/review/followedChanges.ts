import { EventEmitter, type Disposable } from "vscode";

import type { SubagentService } from "../service/service.js";
import { storedRef } from "../storedRef.js";
import { isLive } from "../text/outcome.js";
import { byPath } from "../text/places.js";
import { Throttle } from "../util/coalesce.js";
import { type Edit, readChanges, type RunChanges } from "./runChanges.js";

/** How often new changes of a run are shown, in ms. */
const SHOW_MS = 500;

interface Followed {
  readonly changes: RunChanges;
  hasEnded: boolean;
  revision: number;
  dispose(): void;
}

/** The changes of runs that somebody reviews: they follow a run until they are released. */
export class FollowedChanges implements Disposable {
  readonly #service: SubagentService;
  readonly #runs = new Map<string, Promise<Followed>>();
  readonly #changed = new EventEmitter<string>();
  readonly #subscription: Disposable;

  /** Fires with the id of a run whose changes are different now. */
  readonly onDidChange = this.#changed.event;

  constructor(service: SubagentService) {
    this.#service = service;
    this.#subscription = service.onDidChangeTask((task) => {
      if (!isLive(task)) {
        void this.#end(task.id);
      }
    });
  }

  /** Return the changes of a run until now, in the order in which its conversation lists files, and follow it from now on. */
  async edits(taskId: string): Promise<readonly Edit[]> {
    const { changes, hasEnded } = await this.#follow(taskId);
    return [...changes.edits(hasEnded)].sort(byPath);
  }

  /** Stop following a run. */
  release(taskId: string): void {
    const run = this.#runs.get(taskId);
    this.#runs.delete(taskId);
    void run?.then(
      (followed) => {
        followed.dispose();
      },
      () => undefined, // Whoever asked for the changes got the error.
    );
  }

  dispose(): void {
    [...this.#runs.keys()].forEach((taskId) => {
      this.release(taskId);
    });
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #follow(taskId: string): Promise<Followed> {
    const known = this.#runs.get(taskId);
    if (known !== undefined) {
      return known;
    }
    const run = this.#read(taskId);
    this.#runs.set(taskId, run);
    run.catch(() => {
      this.#forget(taskId, run);
    });
    return run;
  }

  #forget(taskId: string, run: Promise<Followed>): void {
    if (this.#runs.get(taskId) === run) {
      this.#runs.delete(taskId);
    }
  }

  async #read(taskId: string): Promise<Followed> {
    const { task } = await this.#service.request("asyncTasks/get", { taskId });
    const changes = await readChanges(this.#service, taskId);
    const soon = new Throttle(SHOW_MS, () => {
      this.#show(taskId, followed);
    });
    // A stored task counts as ended, and another agent may still write to it.
    const following =
      isLive(task) || storedRef(taskId) !== undefined
        ? this.#service.follow(
            taskId,
            changes.lastSeq,
            (events) => {
              changes.add(events);
              soon.call();
            },
            () => {
              this.release(taskId); // Its events are different now: whoever asks reads them again.
              this.#changed.fire(taskId);
            },
          )
        : undefined;
    const followed: Followed = {
      changes,
      hasEnded: !isLive(task) || storedRef(taskId) !== undefined,
      revision: changes.revision,
      dispose: () => {
        following?.dispose();
        soon.dispose();
      },
    };
    return followed;
  }

  #show(taskId: string, followed: Followed): void {
    if (followed.revision !== followed.changes.revision) {
      followed.revision = followed.changes.revision;
      this.#changed.fire(taskId);
    }
  }

  /** What unfinished calls were to change counts once the run has ended. */
  async #end(taskId: string): Promise<void> {
    const followed = await this.#runs.get(taskId)?.catch(() => undefined);
    if (followed !== undefined && !followed.hasEnded) {
      followed.hasEnded = true;
      this.#changed.fire(taskId);
    }
  }
}
