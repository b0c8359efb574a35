import type {
  DefinitionProblem,
  SendResult,
  SubagentInfo,
  TaskEvent,
  TouchedFile,
} from "../protocol.js";
import type { LaunchProblem } from "../refusals/launchProblem.js";
import type { InstalledAgent } from "../offers/installedAgents.js";
import type { Chosen, Offers } from "../offers/offers.js";
import type { FleetOffer } from "../offers/placement.js";
import type { ServiceState } from "../service/service.js";
import type { TaskRef } from "../taskRef.js";
import type { Batch } from "./events/eventFeed.js";
import type { Deletions, HistoryPage, RunRow, StoredChanges } from "./listMessages.js";
import type { PageTask } from "./pageTask.js";
import type { TurnsFrom } from "./turns/turnFeed.js";

/** Where a page is: the side bar has the list and the composer, an editor one conversation. */
export type PagePlace = "sideBar" | "editor";

/** Which side of its events the page requests more for. */
export type PageSide = "before" | "after";

/** Where the user is when a message arrives, which the page adds to it. */
export interface Whereabouts {
  /** Whether something else than the page has the focus. */
  readonly isAway?: boolean;
}

/** Whether a message comes late: the page that was there before may not have received it. */
export interface Delay {
  readonly isLate?: boolean;
}

/** How the editor opens a conversation that the page asks for. */
export interface Opening extends Whereabouts {
  /** Whether it opens next to what is shown. */
  readonly toSide?: boolean;
}

/** What the extension sends to the page. A hidden page receives nothing; `ready` requests it again. */
export type ToWebview =
  | { readonly type: "service"; readonly state: ServiceState }
  /** All runs, newest first; they replace the previous ones. */
  | { readonly type: "runs"; readonly runs: readonly RunRow[] }
  | { readonly type: "run"; readonly run: RunRow }
  | { readonly type: "history"; readonly page: HistoryPage }
  /** How much some of the stored tasks in view changed. */
  | { readonly type: "changes"; readonly tasks: readonly StoredChanges[] }
  /** Whether runs that the page names open in another page. */
  | { readonly type: "settings"; readonly opensElsewhere: boolean }
  | {
      readonly type: "definitions";
      readonly items: readonly SubagentInfo[];
      /** Why runners cannot be started now, by their names. */
      readonly missing?: Readonly<Record<string, string>>;
      readonly problems: readonly DefinitionProblem[];
    }
  /** The sessions that their own product will delete soon, unless they are hidden. */
  | { readonly type: "deletions"; readonly deletions?: Deletions }
  /** The run or the stored task whose conversation is in front in the editor area, if one is. */
  | { readonly type: "front"; readonly taskId?: string }
  /** What agents offer, by the names of their runners, and the agents that a new subagent could use. */
  | {
      readonly type: "offers";
      readonly offers: Offers;
      readonly agents: readonly InstalledAgent[];
    }
  /** The cluster, if one is configured. */
  | { readonly type: "fleet"; readonly fleet?: FleetOffer }
  /** The whole of the task that the page follows, and what the user calls it. */
  | {
      readonly type: "task";
      readonly task: PageTask;
      readonly takesMessages?: boolean;
      readonly title?: string;
    }
  | { readonly type: "taskMissing"; readonly taskId: string; readonly message: string }
  /** The files that an ended run created, edited or deleted. */
  | { readonly type: "files"; readonly taskId: string; readonly files: readonly TouchedFile[] }
  /** The paths of the files whose changes the events of the run that the page follows contain. */
  | { readonly type: "texts"; readonly taskId: string; readonly paths: readonly string[] }
  /** The commands that sign in to the agent of a run that failed without a sign-in, if any are known. */
  | { readonly type: "signIn"; readonly taskId: string; readonly commands: readonly string[] }
  /** The task that the page follows was deleted; what was sent of it stays readable. */
  | { readonly type: "taskDeleted"; readonly taskId: string }
  /** Events of the stored task that the page follows are different now: the page follows it again. */
  | { readonly type: "restarted"; readonly taskId: string }
  /**
   * The next events of the run that the page follows; the page answers `seen`. With `facts`, some
   * earlier events are omitted, and the facts summarize them.
   */
  | ({ readonly type: "events"; readonly taskId: string } & Batch)
  /** The turns of the run that the page follows, from one on. */
  | ({ readonly type: "turns"; readonly taskId: string } & TurnsFrom)
  /** The requested events right before or right after one. */
  | {
      readonly type: "page";
      readonly taskId: string;
      readonly side: PageSide;
      readonly seq: number;
      readonly events: readonly TaskEvent[];
    }
  /** The next events after one, for the search in a run. */
  | {
      readonly type: "read";
      readonly taskId: string;
      readonly seq: number;
      readonly events: readonly TaskEvent[];
    }
  /** Search in the open conversation; the page adds what the reader selected, and where they are. */
  | { readonly type: "find"; readonly text?: string; readonly from?: number }
  /** Show the event with which a turn begins. */
  | { readonly type: "jumpTo"; readonly seq: number }
  /** With the others that were launched with it. */
  | ({
      readonly type: "launched";
      readonly taskId: string;
      readonly others?: readonly string[];
      readonly sent: SentLaunch;
    } & Whereabouts &
      Delay)
  /** With the subagents that were not launched, if several were to be, and those runs that were. */
  | ({
      readonly type: "launchFailed";
      readonly sent: SentLaunch;
      readonly left?: readonly string[];
      readonly launched?: readonly string[];
    } & LaunchProblem &
      Whereabouts &
      Delay)
  /** The paths of files that the user attached to the next launch. */
  | { readonly type: "attached"; readonly paths: readonly string[] }
  | { readonly type: "attachFailed"; readonly message: string }
  /** Files of the open folders that a text after `@` may mean, the best first. */
  | { readonly type: "foundFiles"; readonly text: string; readonly paths: readonly string[] }
  /** The version of a file that the page asked for, if it is an image that the page may load. */
  | { readonly type: "picture"; readonly path: string; readonly version: string | undefined }
  /** How many subagents can run at once; -1 means no limit. */
  | { readonly type: "limit"; readonly max: number }
  /** The user cancelled the launch. */
  | ({ readonly type: "launchDropped" } & Delay)
  /** A launch that an earlier page requested has not been answered. */
  | { readonly type: "launching" }
  | { readonly type: "cancelFailed"; readonly taskId: string; readonly message: string }
  /** An answer was refused, for example because another one came first. */
  | {
      readonly type: "answerFailed";
      readonly taskId: string;
      readonly requestId: string;
      readonly message: string;
    }
  | {
      readonly type: "sent";
      readonly taskId: string;
      readonly text: string;
      readonly delivery: SendResult["delivery"];
    }
  | {
      readonly type: "sendFailed";
      readonly taskId: string;
      readonly text: string;
      readonly message: string;
    }
  /** Messages to the agent that were not delivered according to the run's events. */
  | { readonly type: "undelivered"; readonly taskId: string; readonly texts: readonly string[] }
  /** The run continues in another one. */
  | { readonly type: "resumed"; readonly taskId: string; readonly inTaskId: string }
  | ({ readonly type: "resumeFailed"; readonly taskId: string } & LaunchProblem)
  | { readonly type: "open"; readonly taskId: string }
  | { readonly type: "home" }
  /** Go to the list or the conversation, also from a field. */
  | { readonly type: "focusList" }
  /** Go to an open question of the run that the page shows, and the event that asked it, if that is known. */
  | { readonly type: "toQuestion"; readonly requestId: string; readonly seq?: number }
  | { readonly type: "choose"; readonly subagentName: string }
  | { readonly type: "compose"; readonly subagentName?: string; readonly goal?: string }
  /** Write something at the end of the goal. */
  | { readonly type: "addToGoal"; readonly text: string }
  /** Open a run, and write something at the end of the next message to its agent. */
  | { readonly type: "addToMessage"; readonly taskId: string; readonly text: string };

/** What the user attaches to the next launch; without members, files that are to be chosen. */
export interface AttachRequest {
  /** The addresses of files, as the editor names them. */
  readonly uris?: readonly string[];
  /** Contents without a path, such as pasted images; the data is Base64. */
  readonly contents?: readonly { readonly name: string; readonly data: string }[];
}

/** What the page can make the extension do apart from conversations. */
export const ACTIONS = [
  "runExample",
  "showLog",
  "repair",
  "selectPython",
  "restart",
  "cancelSetup",
  "manageTrust",
  "openTranscript",
  "openConversation",
  "openStored",
  "chooseDefinition",
  "createDefinition",
  "openRunnerSettings",
  "changeLimit",
  "startNow",
  "cancel",
  "answer",
  "review",
  "resume",
  "signIn",
  "deleteTask",
  "pin",
  "unpin",
  "rename",
  "showAll",
  "filter",
  "clearFilter",
  "keepCopies",
  "hideDeletions",
] as const;
export type Action = (typeof ACTIONS)[number];

/** What the page should show as soon as it is visible. */
export type Navigation = Extract<
  ToWebview,
  {
    type:
      | "open"
      | "home"
      | "focusList"
      | "find"
      | "jumpTo"
      | "toQuestion"
      | "compose"
      | "addToGoal"
      | "addToMessage"
      | "choose"
      | "launched"
      | "launchFailed"
      | "launchDropped"
      | "resumed"
      | "resumeFailed";
  }
>;

/** What a page launched: when the answer comes, the user may be writing the next goal. */
export type SentLaunch = Pick<
  Extract<FromWebview, { type: "launch" }>,
  "goalPrompt" | "also" | "files"
>;

/** How a launch ended for the composer. */
export type LaunchAnswer = Extract<
  Navigation,
  { type: "launched" | "launchFailed" | "launchDropped" }
>;

/** What the page sends to the extension. */
export type FromWebview =
  | { readonly type: "ready" }
  | { readonly type: "refresh" }
  | { readonly type: "follow"; readonly taskId: string; readonly afterSeq: number }
  | { readonly type: "unfollow" }
  /** The last batch of events is on the screen. */
  | { readonly type: "seen"; readonly taskId: string }
  /** Request events right before or right after the one numbered `seq`. */
  | {
      readonly type: "page";
      readonly taskId: string;
      readonly side: PageSide;
      readonly seq: number;
    }
  /** Request the events after the one numbered `seq`, for the search. */
  | { readonly type: "read"; readonly taskId: string; readonly seq: number }
  | {
      readonly type: "launch";
      readonly subagentName: string;
      /** Others that get the same goal. */
      readonly also?: readonly string[];
      readonly goalPrompt: string;
      readonly queue: boolean;
      /** What the user chose of their agents, by the names of subagents. */
      readonly chosen?: Readonly<Record<string, Chosen>>;
      /** The paths of files for all of them. */
      readonly files?: readonly string[];
    }
  /** The answer to a launch is in the state that the page saved. */
  | { readonly type: "noted" }
  | ({ readonly type: "attach" } & AttachRequest)
  | { readonly type: "findFiles"; readonly text: string }
  /** Ask whether a file is an image that may be shown. */
  | { readonly type: "picture"; readonly path: string }
  | { readonly type: "cancel"; readonly taskId: string }
  | {
      readonly type: "answer";
      readonly taskId: string;
      readonly requestId: string;
      readonly optionId: string;
    }
  /** Answer a question of the agent; `content` comes with an accepted form. */
  | {
      readonly type: "reply";
      readonly taskId: string;
      readonly requestId: string;
      readonly action: "accept" | "decline";
      readonly content?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "send"; readonly taskId: string; readonly text: string }
  /** Forget a message that was not delivered. */
  | { readonly type: "forget"; readonly taskId: string; readonly text: string }
  | {
      readonly type: "resume";
      readonly taskId: string;
      readonly text?: string;
      readonly queue: boolean;
    }
  | OpenRequest
  | { readonly type: "moreHistory" }
  /** Which stored tasks are in view now, or near it. */
  | { readonly type: "tasksInView"; readonly tasks: readonly TaskRef[] }
  /** Make a subagent of an installed agent. */
  | { readonly type: "useAgent"; readonly runner: string }
  /** Learn the labels and free slots of the cluster. */
  | { readonly type: "connectFleet" }
  /** Fill the composer, which is in another page. */
  | { readonly type: "composeWith"; readonly goal: string; readonly subagentName?: string }
  /** With the task that it acts on; a stored one has a root. */
  | ({ readonly type: "act"; readonly action: Action; readonly task?: TaskRef } & Opening);

/** What the user wants to see or insert in the editor. Lines count from 1. */
export type OpenRequest =
  /** A file that a run touched. */
  | {
      readonly type: "openFile";
      readonly taskId: string;
      readonly path: string;
      readonly line?: number;
    }
  /** A change shown in a run: the part `index` of the event `seq`. */
  | {
      readonly type: "openDiff";
      readonly taskId: string;
      readonly seq: number;
      readonly index: number;
    }
  /** All changes of a run, or those of one file. */
  | { readonly type: "openChanges"; readonly taskId: string; readonly path?: string }
  | { readonly type: "openDefinition"; readonly path: string; readonly line?: number }
  /** Code of a message, for the editor that was active last. */
  | { readonly type: "insertCode"; readonly text: string }
  /** Code of a message of a run, for the file that it names, or for the editor that was active last. */
  | {
      readonly type: "applyCode";
      readonly taskId: string;
      readonly text: string;
      readonly file?: string;
    };
