import type { Event } from "vscode";

import type { Mark } from "../marks/marks.js";
import type { AsyncTask } from "../protocol.js";
import type { TaskRef } from "../taskRef.js";
import type { Action, AttachRequest, Opening, OpenRequest, ToWebview } from "./messages.js";

/** What the user notes about runs and stored tasks, by the ids that pages know. */
export interface PageMarks {
  of(taskId: string): Mark;
  readonly onDidChange: Event<void>;
}

/** What a session needs of the window. */
export interface PanelHost {
  post(message: ToWebview): void;
  act(action: Action, task: TaskRef | undefined, opening: Opening): void;
  open(open: OpenRequest): void;
  /** The folder a run works in; undefined if the user chooses none. */
  pickFolder(): Promise<string | undefined>;
  /** The folders of the window besides this one. */
  otherFolders(folder: string): readonly string[];
  /** The images in a folder that a goal names, by their paths there. */
  imagesNamed(goal: string, folder: string): Promise<readonly string[]>;
  /** What a launch requests over the limit, unless the user decides. */
  launchOptions(): { overLimit?: "queue" };
  /** Whether runs that the page names open in another page. */
  opensElsewhere(): boolean;
  /** Find files of the open folders that a text may mean, and show them, better ones later; paths as the user would write them. */
  findFiles(text: string, show: (paths: readonly string[]) => void): Promise<void>;
  /** Return the version of a file that is an image of the workspace and that the page may load. */
  pictureVersion(path: string): Promise<string | undefined>;
  /** Return the paths of what the user attaches. */
  attach(request: AttachRequest): Promise<readonly string[]>;
  /** Fill the composer of another page. */
  compose(draft: { readonly goal: string; readonly subagentName?: string }): void;
  /** Take each state of the run that the page shows, and what the user calls it. */
  shows(task: AsyncTask, title: string | undefined): void;
  readonly marks: PageMarks;
}
