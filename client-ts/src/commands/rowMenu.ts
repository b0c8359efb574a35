type Command = (...args: unknown[]) => unknown;

/** Commands that do their work at once. */
const PLAIN = [
  "subagentSidecar.subagent.startNow",
  "subagentSidecar.subagent.cancel",
  "subagentSidecar.task.pin",
  "subagentSidecar.task.unpin",
  "subagentSidecar.task.copyId",
];
/** Commands that take the focus for an input or a confirmation. */
const ASKING = [
  "subagentSidecar.task.rename",
  "subagentSidecar.task.tag",
  "subagentSidecar.task.archive",
  "subagentSidecar.task.delete",
  "subagentSidecar.task.export",
];

/**
 * Make commands give the focus back to the list whose menu they were chosen from, which the menu took: before
 * their work where they can, since the user may be elsewhere after it.
 */
export function returningToList(
  commands: Readonly<Record<string, Command>>,
  list: { focus(): Promise<void> },
): Record<string, Command> {
  const returning = Object.entries(commands).map(([id, run]): [string, Command] => {
    const [isPlain, asks] = [PLAIN.includes(id), ASKING.includes(id)];
    const withReturn = async (...args: unknown[]): Promise<unknown> => {
      const isChosen = isRow(args[0]);
      if (isChosen && isPlain) {
        await list.focus();
      }
      try {
        return await run(...args);
      } finally {
        if (isChosen && asks) {
          await list.focus();
        }
      }
    };
    return [id, isPlain || asks ? withReturn : run];
  });
  return Object.fromEntries(returning);
}

/** Whether a command was chosen from the menu of a row, whose facts the editor passes on. */
function isRow(target: unknown): boolean {
  return typeof target === "object" && target !== null && "subagentRow" in target;
}
