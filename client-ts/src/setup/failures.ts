import { firstOf } from "../text/cutting.js";
import { SETUP } from "./strings.js";

const text = SETUP;

/** Setup cannot continue; the message tells a person what is wrong and what to do. */
export class SetupError extends Error {
  override readonly name = "SetupError";
  /** Whether the user has to select an interpreter. */
  readonly needsPython: boolean;

  constructor(message: string, needsPython = false) {
    super(message);
    this.needsPython = needsPython;
  }

  static noPython(tooOld: readonly string[]): SetupError {
    return new SetupError(text.noPython(tooOld), true);
  }

  static badSetting(setting: string, problem: string): SetupError {
    return new SetupError(text.badPython(setting, problem), true);
  }

  static noBundle(directory: string): SetupError {
    return new SetupError(text.noBundle(directory));
  }
}

/** A pattern in a program's output, and the explanation of what it means. */
interface Explanation {
  readonly sign: RegExp;
  readonly text: (found: RegExpExecArray) => string;
}

const DISK: readonly Explanation[] = [
  { sign: /No space left on device|ENOSPC|not enough space/i, text: () => text.diskFull },
  { sign: /Permission denied|EACCES|Access is denied/i, text: () => text.noPermission },
];

const VENV: readonly Explanation[] = [
  {
    sign: /ensurepip is not available|No module named '?(venv|ensurepip)/,
    text: () => text.noVenv,
  },
  ...DISK,
];

const PIP: readonly Explanation[] = [
  {
    sign: /THESE PACKAGES DO NOT MATCH THE HASHES[\s\S]*?\n\s+(\S+) from/,
    text: (found) => text.hashMismatch(found[1] ?? ""),
  },
  {
    sign: /CERTIFICATE_VERIFY_FAILED|SSLError|SSLCertVerificationError/,
    text: () => text.certificate,
  },
  { sign: /ProxyError|Tunnel connection failed|407 Proxy/, text: () => text.proxy },
  {
    sign: /NewConnectionError|name resolution|getaddrinfo|Network is unreachable|Connection refused|ConnectTimeout|ReadTimeout|Connection(Reset)?Error|NameResolutionError|Connection to \S+ timed out/i,
    text: () => text.offline,
  },
  {
    sign: /No matching distribution found for (\S+)|(?:Failed building wheel|Could not build wheels) for (\S+)/,
    text: (found) => text.noPackage(found[1] ?? found[2] ?? ""),
  },
  { sign: /ResolutionImpossible|conflicting dependencies/, text: () => text.noVersions },
  ...DISK,
];

/** Explain why `python -m venv` failed, from its output. */
export function venvFailure(output: string, program: string): SetupError {
  return explain(VENV, output, text.venvFailed(program));
}

/** Explain why `pip install` failed, from its output. */
export function pipFailure(output: string): SetupError {
  return explain(PIP, output, text.pipFailed);
}

/** Explain why a file operation of setup failed. */
export function diskFailure(message: string): SetupError {
  return explain(DISK, message, text.diskFailed);
}

const DAMAGE = /No module named .*|(?:ModuleNotFound|Import)Error.*|No pyvenv\.cfg.*/;

/** Explain that the environment is damaged if that is why the sidecar ended; undefined otherwise. */
export function environmentDamage(reason: string): string | undefined {
  const sign = DAMAGE.exec(reason)?.[0];
  return sign === undefined ? undefined : text.damaged(sign);
}

function explain(known: readonly Explanation[], output: string, otherwise: string): SetupError {
  for (const explanation of known) {
    const found = explanation.sign.exec(output);
    if (found !== null) {
      return new SetupError(explanation.text(found));
    }
  }
  const last = output.trim().split("\n").at(-1) ?? "";
  const reason = last === "" ? text.noReason : firstOf(last, 300);
  return new SetupError(text.otherwise(otherwise, reason));
}
