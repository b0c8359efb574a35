/** The languages of the texts. */
export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The same texts in another language: as many, with the same parameters. */
export type Texts<T> = T extends string
  ? string
  : T extends (...values: infer V) => string
    ? (...values: V) => string
    : T extends object
      ? { readonly [K in keyof T]: Texts<T[K]> }
      : T;

let current: Language = "en";

/** Choose the language by the name of a locale, such as `de-AT`, before any text is read. */
export function setLanguage(locale: string): void {
  const [name] = locale.toLowerCase().split(/[-_]/u);
  current = LANGUAGES.find((each) => each === name) ?? "en";
}

/** Return the language of the texts. */
export function language(): Language {
  return current;
}

/** Return the texts in the language that was chosen. */
export function localized<T>(english: T, german: Texts<T>): Texts<T> {
  return current === "de" ? german : (english as Texts<T>);
}
