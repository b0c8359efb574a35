/** Progress of setup, and why it failed. */
export const SETUP = {
  waiting: "Waiting for another window to finish setup…",
  findingPython: "Looking for Python…",
  creating: "Creating a private Python environment…",
  installing: "Downloading packages…",
  downloading: (name: string, place: number, all: number) =>
    `Downloading ${name} (${place} of ${all})…`,
  unpacking: "Installing packages…",
  cancelled: "Setup was cancelled. Try again to continue.",
  noPython: (tooOld: readonly string[]) =>
    `${tooOld.length === 0 ? "No Python was found" : `Only ${tooOld.join(", ")} was found`} outside the ` +
    "workspace. Install Python 3.11 or newer, or select an interpreter.",
  badPython: (setting: string, problem: string) =>
    `The setting subagentSidecar.pythonPath is "${setting}", but ${problem}. Point it at Python 3.11 or ` +
    "newer, or clear it to detect one automatically.",
  noSuchFile: "the file does not exist",
  python: (version: string) => `Python ${version}`,
  timedOut: (seconds: number) => `Timed out after ${seconds} s.`,
  notPython: "it isn't a working Python",
  tooOld: (version: string) => `it is ${version}`,
  noBundle: (folder: string) =>
    `The extension is incomplete: ${folder} contains no sidecar package. Reinstall the extension.`,
  diskFull: "The disk is full. Free about 60 MB, then try again.",
  noPermission:
    "A file or folder of the private Python environment can't be written. Close programs that use it " +
    "and check its permissions, then try again.",
  noVenv:
    "This Python has no venv module. On Debian and Ubuntu, run: sudo apt install python3-venv. " +
    "Elsewhere, install a complete Python or select another interpreter. Then try again.",
  hashMismatch: (name: string) =>
    `The package ${name} differs from the one this extension was tested with and was not installed. ` +
    "Check the package index or mirror that pip uses, then try again.",
  certificate:
    "The certificate of the package index is not trusted. A company proxy can cause this. Set PIP_CERT " +
    "to its certificate bundle in the environment that VS Code starts in, then try again.",
  proxy:
    "The proxy refused the connection to the package index. Check the setting http.proxy or the " +
    "variable HTTPS_PROXY, then try again.",
  offline:
    "Can't reach the package index. Setup needs a network connection once. Check the connection and " +
    "the setting http.proxy, then try again.",
  noPackage: (name: string) =>
    `The package ${name} isn't available for this Python version and platform. Select another Python ` +
    "(3.11 to 3.14), then try again.",
  noVersions:
    "The package index can't be reached or doesn't have the required versions. Check the network " +
    "connection and pip's configuration, then try again.",
  damaged: (sign: string) =>
    `The private Python environment is damaged (${sign}). Select Reinstall to create it again.`,
  hostNotStopped: (reason: string) =>
    `The Host can't be stopped: ${reason}. Close the other windows, then try again.`,
  venvFailed: (program: string) => `Can't create the private Python environment with ${program}`,
  pipFailed: "Can't install the sidecar's packages",
  diskFailed: "Can't write the private Python environment",
  noReason: "no reason was given",
  otherwise: (what: string, reason: string) => `${what}: ${reason}. The log has details.`,
};
