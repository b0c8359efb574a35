/** Characters that break a line or control a terminal or an editor. */
const BREAKING = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** Invisible characters: zero width, bidi, tags, variation selectors, fillers. */
const HIDDEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Return text without invisible characters; line breaks become spaces. */
export function withoutUnseen(text: string): string {
  return text.replace(BREAKING, " ").replace(HIDDEN, "");
}

/** Return text with each hidden character replaced by its code point: `<U+200B>`. */
export function withHiddenShown(text: string): string {
  return text.replace(
    HIDDEN,
    (char) => `<U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}
