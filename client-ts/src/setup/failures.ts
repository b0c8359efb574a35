/** Set-up cannot go on; the message says what is wrong and what mends it, for a person to read. */
export class SetupError extends Error {
  override readonly name = "SetupError";

  static noPython(tooOld: readonly string[]): SetupError {
    const found =
      tooOld.length === 0 ? "No Python was found" : `Only ${tooOld.join(", ")} was found`;
    return new SetupError(
      `${found} outside the workspace; Python 3.11 or newer is needed. Install it, or name an interpreter in the ` +
        "setting subagentSidecar.pythonPath; then choose Repair.",
    );
  }

  static badSetting(setting: string, fault: string): SetupError {
    return new SetupError(
      `The setting subagentSidecar.pythonPath names "${setting}", but ${fault}. It has to name ` +
        "Python 3.11 or newer, or to be empty so that one is looked for; then choose Repair.",
    );
  }

  static noBundle(directory: string): SetupError {
    return new SetupError(
      `The extension is incomplete: there is no sidecar package in ${directory}. ` +
        "Reinstall the extension.",
    );
  }
}

interface Explanation {
  readonly sign: RegExp;
  readonly words: (found: RegExpExecArray) => string;
}

const DISK: readonly Explanation[] = [
  {
    sign: /No space left on device|ENOSPC|not enough space/i,
    words: () => "The disk is full. Free some space (about 60 MB are needed), then choose Repair.",
  },
  {
    sign: /Permission denied|EACCES|Access is denied/i,
    words: () =>
      "A file or folder of the private Python environment may not be written. Close programs that " +
      "use it and check its permissions, then choose Repair.",
  },
];

const VENV: readonly Explanation[] = [
  {
    sign: /ensurepip is not available|No module named '?(venv|ensurepip)/,
    words: () =>
      "This Python lacks the venv module. On Debian and Ubuntu: sudo apt install python3-venv. " +
      "Elsewhere install a complete Python, or name one in subagentSidecar.pythonPath; " +
      "then choose Repair.",
  },
  ...DISK,
];

const PIP: readonly Explanation[] = [
  {
    sign: /THESE PACKAGES DO NOT MATCH THE HASHES[\s\S]*?\n\s+(\S+) from/,
    words: (found) =>
      `The package ${found[1] ?? ""} differs from the one this extension was tested with, so it was ` +
      "not installed. Check the package index or mirror that pip is configured for, then choose Repair.",
  },
  {
    sign: /CERTIFICATE_VERIFY_FAILED|SSLError|SSLCertVerificationError/,
    words: () =>
      "The package index's certificate is not trusted, which a company's proxy can cause. Set " +
      "PIP_CERT to its certificate bundle in the environment VS Code starts in, then choose Repair.",
  },
  {
    sign: /ProxyError|Tunnel connection failed|407 Proxy/,
    words: () =>
      "The proxy refused the connection to the package index. Check the setting http.proxy or " +
      "the variable HTTPS_PROXY, then choose Repair.",
  },
  {
    sign: /NewConnectionError|name resolution|getaddrinfo|Network is unreachable|Connection refused|ConnectTimeout|ReadTimeout|Connection(Reset)?Error|NameResolutionError|Connection to \S+ timed out/i,
    words: () =>
      "The package index cannot be reached, and setting up needs it once. Check the network " +
      "connection, or the setting http.proxy, then choose Repair.",
  },
  {
    sign: /No matching distribution found for (\S+)|(?:Failed building wheel|Could not build wheels) for (\S+)/,
    words: (found) =>
      `The package ${found[1] ?? found[2] ?? "needed"} is not to be had for this Python and ` +
      "platform. Name another Python (3.11 to 3.14) in subagentSidecar.pythonPath, then choose Repair.",
  },
  {
    sign: /ResolutionImpossible|conflicting dependencies/,
    words: () =>
      "The package index does not have the versions that are needed, or cannot be reached. Check " +
      "the network connection and pip's configuration, if there is one, then choose Repair.",
  },
  ...DISK,
];

/** Explain why `python -m venv` failed, from what it printed. */
export function venvFailure(output: string, program: string): SetupError {
  return explain(VENV, output, `The private Python environment cannot be made with ${program}`);
}

/** Explain why `pip install` failed, from what it printed. */
export function pipFailure(output: string): SetupError {
  return explain(PIP, output, "The sidecar's packages cannot be installed");
}

/** Explain why a file operation of set-up failed. */
export function diskFailure(message: string): SetupError {
  return explain(DISK, message, "The private Python environment cannot be written");
}

const DAMAGE = /No module named .*|(?:ModuleNotFound|Import)Error.*|No pyvenv\.cfg.*/;

/** Tell from why the sidecar ended whether its environment is damaged; undefined if it is not. */
export function environmentDamage(reason: string): string | undefined {
  const sign = DAMAGE.exec(reason)?.[0];
  return sign === undefined
    ? undefined
    : `The private Python environment is damaged (${sign}). Choose Repair to make it anew.`;
}

function explain(known: readonly Explanation[], output: string, otherwise: string): SetupError {
  for (const { sign, words } of known) {
    const found = sign.exec(output);
    if (found !== null) {
      return new SetupError(words(found));
    }
  }
  const last = output.trim().split("\n").at(-1) ?? "";
  const why = last === "" ? "no reason was given" : last.slice(0, 300);
  return new SetupError(`${otherwise}: ${why}. The log has more (Show Log); Repair tries again.`);
}
