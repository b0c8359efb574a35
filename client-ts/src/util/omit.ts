/** Return a copy without these members. */
export function omit<T extends object, K extends keyof T>(value: T, ...keys: K[]): Omit<T, K> {
  const copy = { ...value };
  for (const key of keys) {
    Reflect.deleteProperty(copy, key);
  }
  return copy;
}

/** Return a copy of a set without a member. */
export function without<T>(set: ReadonlySet<T>, member: T): ReadonlySet<T> {
  return new Set([...set].filter((other) => other !== member));
}
