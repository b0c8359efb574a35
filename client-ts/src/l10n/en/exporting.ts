export const exporting = {
  title: (tasks: string) => `Export ${tasks}`,
  saveTitle: "Export Task",
  folderTitle: "Export Tasks to a Folder",
  here: "Export Here",
  markdown: "Markdown",
  readable: "For reading",
  processable: "For programs",
  redacted:
    "Replaces likely keys, passwords, home folders and user names. Check the result before you share it",
  redactedName: (format: string) => `${format}, Redacted`,
  busy: (tasks: string) => `Exporting ${tasks}`,
  nothing: (reasons: string) => `Nothing was exported. ${reasons}`,
  done: (tasks: string, place: string) => `Exported ${tasks} to ${place}.`,
  failed: (reasons: string) => `Not exported: ${reasons}`,
  open: "Open",
  totalsTitle: "Export Usage Totals",
  totalsDone: (place: string) => `Exported the usage totals to ${place}.`,
  nothingRedacted: "Redaction found nothing to replace.",
  replaced: (kinds: string) => `Replaced: ${kinds}.`,
};

/** The titles of reports, which also name their documents. */
export const reports = {
  queryHelp: "Query Language Help",
  fleet: "Fleet Status",
} as const;
