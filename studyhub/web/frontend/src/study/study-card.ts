/** `<study-card>` round the answer form: keys, an unsent answer kept, one sending at a time. Knows no grade. */
import { typing } from "../dom";
import { chooseByLetter } from "./choices";
import { StudyOrdering } from "./study-ordering";
import { keep, restore, sending } from "./unsent";

export class StudyCard extends HTMLElement {
  private readonly listen = (event: KeyboardEvent) => this.key(event);

  connectedCallback(): void {
    const form = this.form;
    if (!form) return;
    document.addEventListener("keydown", this.listen);
    if (restore(form)) this.restored(form);
    form.addEventListener("input", () => keep(form));
    form.addEventListener("submit", (event) => this.sending(event));
    window.addEventListener("pageshow", () => this.removeAttribute("data-checking"));
  }

  disconnectedCallback(): void {
    document.removeEventListener("keydown", this.listen);
  }

  private get form(): HTMLFormElement | null {
    return this.querySelector("form");
  }

  private button(selector: string): HTMLButtonElement | null {
    const form = this.form;
    const all = document.querySelectorAll<HTMLButtonElement>(`${selector}:not(:disabled)`);
    return [...all].find((button) => button.form === form) ?? null;
  }

  /** Shift+Enter: I do not know, but for a field of lines, where it is a line. Ctrl+Enter: next hint. A to Z: that row. Enter is the form's own. */
  private key(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.repeat || document.querySelector("dialog[open]")) return;
    const lines = event.shiftKey && event.target instanceof HTMLTextAreaElement;
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey) && !lines) {
      this.enter(event);
      return;
    }
    if (typing(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
    const handled = this.form && chooseByLetter(this.form, event.key);
    if (handled || this.enterOnPage(event)) event.preventDefault();
  }

  private enter(event: KeyboardEvent): void {
    const button = event.shiftKey
      ? this.button("[data-action=give-up], button[name=reveal]")
      : this.button("[data-action=hint], button[name=hint]");
    if (!button) return;
    event.preventDefault();
    button.click();
  }

  /** Enter with focus on no control checks too, as the key cap on the button says. */
  private enterOnPage(event: KeyboardEvent): boolean {
    if (event.key !== "Enter" || (event.target as Element).closest("a, button, summary")) return false;
    const check = this.button("button[name=check]") ?? this.button(".button--primary");
    check?.click();
    return check !== null;
  }

  private restored(form: HTMLFormElement): void {
    const rows = form.querySelector("study-ordering");
    if (rows instanceof StudyOrdering) rows.takeUp();
    form
      .querySelector("[name=text], [name=choices], [name^=cell-]")
      ?.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** The button says "Checking" in the room it has; the field stays; a second press sends nothing. */
  private sending(event: SubmitEvent): void {
    const again = this.hasAttribute("data-checking");
    if (this.form) sending(this.form);
    this.setAttribute("data-checking", "");
    if (again) event.preventDefault();
    else this.sayChecking(event);
  }

  private sayChecking(event: SubmitEvent): void {
    const button = event.submitter;
    if (!(button instanceof HTMLButtonElement) || button.name !== "check") return;
    button.style.minInlineSize = `${button.offsetWidth}px`;
    const words = [...button.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
    if (words) words.textContent = "Checking ";
  }
}

/** After an answer the result's heading, where reading goes on. Fields are focused by the browser itself. */
export function focusResult(root: ParentNode = document): void {
  if (location.hash || document.activeElement !== document.body) return;
  root.querySelector<HTMLElement>("#result")?.focus({ preventScroll: true });
}
