/** Tells with an answer that its page was out of sight meanwhile, so that its time says nothing. */

export function watchAway(root: Document = document): void {
  root.addEventListener("visibilitychange", () => {
    if (root.visibilityState !== "hidden") return;
    for (const field of root.querySelectorAll<HTMLInputElement>('form.answer input[name="away"]'))
      field.value = "1";
  });
}
