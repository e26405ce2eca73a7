/** `<rating-bar>` round the rating form: Enter takes the suggested rating. 1 to 4 and U are keys of the page. */
import { plain, typing } from "../dom";

export class RatingBar extends HTMLElement {
  private readonly listen = (event: KeyboardEvent) => this.enter(event);
  private sent = false;

  connectedCallback(): void {
    document.addEventListener("keydown", this.listen);
    this.addEventListener("submit", (event) => this.once(event));
  }

  disconnectedCallback(): void {
    document.removeEventListener("keydown", this.listen);
  }

  /** Enter on a link, button or field keeps its own meaning. */
  private enter(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.repeat || event.defaultPrevented || !plain(event))
      return;
    if (typing(event.target) || (event.target as Element).closest("a, button, summary, input, [role=slider]"))
      return;
    const suggested = this.querySelector<HTMLButtonElement>("button[data-suggested]");
    if (!suggested || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    suggested.click();
  }

  /** A second press while the first is under way sends nothing. */
  private once(event: Event): void {
    if (this.sent) event.preventDefault();
    this.sent = true;
    window.addEventListener(
      "pageshow",
      () => {
        this.sent = false;
      },
      { once: true },
    );
  }
}
