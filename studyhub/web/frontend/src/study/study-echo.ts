/** `<study-echo for="answer" answer-type="numeric|shape" names="d_head">`: how the field's text is read while it is typed. */
import { el } from "../dom";
import { type Asked, type Echo, echoNumber, echoShape } from "./echo";

const READERS: Record<string, (text: string, asked: Asked) => Echo> = {
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

  private get asked(): Asked {
    const unit = this.field?.parentElement?.querySelector(".answer__unit")?.textContent?.trim() ?? "";
    return { unit, names: (this.getAttribute("names") ?? "").split(" ").filter(Boolean) };
  }

  private show(): void {
    const reader = READERS[this.getAttribute("answer-type") ?? ""];
    if (!reader || !this.field) return;
    const { text, read } = reader(this.field.value, this.asked);
    this.toggleAttribute("data-unread", !read);
    this.replaceChildren(text, ...(read ? [] : [el("code", {}, this.field.value.trim())]));
  }
}
