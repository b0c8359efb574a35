/** Scrolls to the end for a reader who follows it, but shows a question that is too tall from its top. */
export class EndFollower {
  #question: string | undefined;

  /** Whether a question is in view that keeps the reader from the end. */
  get isAtQuestion(): boolean {
    return this.#question !== undefined;
  }

  /** Scroll after a change. A reader who scrolls inside of a question stays where they are. */
  follow(scroller: HTMLElement): void {
    const before = scroller.scrollTop;
    scroller.scrollTop = scroller.scrollHeight;
    const question = cutQuestion(scroller);
    const id = question?.element.dataset["question"];
    if (question !== undefined) {
      scroller.scrollTop = id === this.#question ? before : scroller.scrollTop + question.top;
    }
    this.#question = id;
  }
}

/** Return the last question and its distance from the top of the view if only its bottom is in view. */
function cutQuestion(scroller: HTMLElement): { element: HTMLElement; top: number } | undefined {
  const element = [...scroller.querySelectorAll<HTMLElement>("[data-question]")].at(-1);
  if (element === undefined) {
    return undefined;
  }
  const view = scroller.getBoundingClientRect();
  const { top, bottom } = element.getBoundingClientRect();
  return top < view.top && bottom > view.top ? { element, top: top - view.top } : undefined;
}
