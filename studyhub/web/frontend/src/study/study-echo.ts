/** `<study-echo for="answer" answer-type="numeric|shape">`: shows how the field's text is read while it is typed. */
import { el } from "../dom";
import { type Echo, echoNumber, echoShape } from "./echo";

const READERS: Record<string, (text: string, unit: string) => Echo> = {
  numeric: echoNumber,
  shape: echoShape,
};

export class StudyEcho extends HTMLElement {
  private field: HTMLInputElement | null = null;
  private readonly listen = () => this.show();

  connectedCallback(): void {
    this.field = document.getElementById(this.getAttribute("for") ?? "") as HTMLInputElement | null;
    this.field?.addEventListener("input", this.listen);
    this.show();
  }

  disconnectedCallback(): void {
    this.field?.removeEventListener("input", this.listen);
  }

  private show(): void {
    const reader = READERS[this.getAttribute("answer-type") ?? this.getAttribute("type") ?? ""];
    if (!reader || !this.field) return;
    const unit = this.field.parentElement?.querySelector(".answer__unit")?.textContent?.trim() ?? "";
    const { text, read } = reader(this.field.value, unit);
    this.toggleAttribute("data-unread", !read);
    this.replaceChildren(text, ...(read ? [] : [el("code", {}, this.field.value.trim())]));
  }
}
