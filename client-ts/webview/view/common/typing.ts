/** Submit a text on Enter, but not with Shift or while an input method composes. */
export function submitOnEnter(event: KeyboardEvent, submit: () => void): void {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    submit();
  }
}

/** Return the text of the field of an event. */
export function textOf({ target }: Event): string {
  return (target as HTMLTextAreaElement | HTMLSelectElement).value;
}
