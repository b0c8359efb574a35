/** How many variables of a run are shown: one frame draws them. */
export const MAX_VARIABLES = 100;

/** Set a variable. Of too many, keep the newest, and one more as a sign that some are missing. */
export function setVariable<T>(variables: Map<string, T>, name: string, value: T): void {
  variables.set(name, value);
  for (const oldest of variables.keys()) {
    if (variables.size <= MAX_VARIABLES + 1) {
      return;
    }
    variables.delete(oldest);
  }
}
