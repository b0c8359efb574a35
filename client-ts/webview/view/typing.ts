/** Submit a text on Enter; with Shift, or while an input method composes, it is a key like others. */
export function submitOnEnter(event: KeyboardEvent, submit: () => void): void {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    submit();
  }
}

/** What a field holds after its event. */
export function textOf({ target }: Event): string {
  return (target as HTMLTextAreaElement | HTMLSelectElement).value;
}
