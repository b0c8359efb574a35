/** The steps of setup, in their order. */
export const SETUP_STEPS = ["python", "environment", "download", "install"] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

/** Receives the progress of setup: a sentence, and the step that it is about. */
export type ReportSetup = (message: string, step?: SetupStep) => void;

/**
 * What the sidecar is doing.
 *
 * `running` and `untrusted` both answer requests; in `untrusted`, Restricted Mode, the sidecar reads
 * but refuses to launch. `failed` lasts until `start` or `restart`; its message names the remedy.
 */
export interface SidecarState {
  readonly kind:
    "idle" | "settingUp" | "starting" | "running" | "restarting" | "failed" | "untrusted";
  /** A sentence for a person: the progress of setup, a limitation, or what went wrong. */
  readonly message?: string;
  /** The step of setup that is under way. */
  readonly step?: SetupStep;
  /** Whether it failed because the user has to select an interpreter. */
  readonly needsPython?: true;
}

/** Whether the sidecar answers requests in this state. */
export function isAnswering({ kind }: SidecarState): boolean {
  return kind === "running" || kind === "untrusted";
}
