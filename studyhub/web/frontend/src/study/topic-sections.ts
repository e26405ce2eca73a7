/** `<topic-sections>`: A opens all sections, an address with an anchor opens its own. */
import { plain, typing } from "../dom";

export class TopicSections extends HTMLElement {
  private readonly listen = (event: KeyboardEvent) => this.key(event);
  private readonly turn = () => this.openNamed();

  connectedCallback(): void {
    document.addEventListener("keydown", this.listen);
    window.addEventListener("hashchange", this.turn);
    this.openNamed();
  }

  disconnectedCallback(): void {
    document.removeEventListener("keydown", this.listen);
    window.removeEventListener("hashchange", this.turn);
  }

  /** The page's own; what folds inside a picture is the picture's. */
  private get sections(): HTMLDetailsElement[] {
    return [...this.querySelectorAll("details")].filter((one) => !one.closest("study-picture"));
  }

  /** Opens all; once all are open, closes all. */
  private key(event: KeyboardEvent): void {
    if (event.key.toLowerCase() !== "a" || !plain(event) || typing(event.target) || event.defaultPrevented)
      return;
    const open = this.sections.some((section) => !section.open);
    for (const section of this.sections) section.open = open;
  }

  private openNamed(): void {
    const id = decodeURIComponent(location.hash.slice(1));
    const named = id ? document.getElementById(id) : null;
    const section = named?.closest("details");
    if (!section || !this.contains(section) || section.open) return;
    section.open = true;
    named?.scrollIntoView();
  }
}
