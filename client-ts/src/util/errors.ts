import { ErrorCode } from "../protocol.js";

/** The error of a refused request; the protocol defines `data` for each code. */
export interface Refusal extends Error {
  readonly code: ErrorCode;
  readonly data?: unknown;
}

/** There is no connection: not started, between two attempts, stopped, or just lost. */
export class SidecarUnavailableError extends Error {
  override readonly name = "SidecarUnavailableError";
}

/** The sidecar cannot start, and another try would fail the same way; the message names the remedy. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Return whether the sidecar refused a request with this code. */
export function isRefusal(error: unknown, code: ErrorCode): error is Refusal {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Return the message of a caught value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a stored task is gone, or the sidecar no longer reads its root. */
export function isGone(error: unknown): boolean {
  return isRefusal(error, ErrorCode.TaskNotFound) || isRefusal(error, ErrorCode.InvalidParams);
}
