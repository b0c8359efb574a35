import type { ErrorCode } from "../protocol.js";

/** What the sidecar refuses a request with; `data` is as the protocol says for its code. */
export interface Refusal extends Error {
  readonly code: ErrorCode;
  readonly data?: unknown;
}

/** There is no connection to ask over: not started, between two tries, stopped, or just lost. */
export class SidecarUnavailableError extends Error {
  override readonly name = "SidecarUnavailableError";
}

/** The sidecar cannot be started, and trying again would not help; the message says what would. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Tell whether the sidecar refused a request with this code. */
export function isRefusal(error: unknown, code: ErrorCode): error is Refusal {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Return what a caught value says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
