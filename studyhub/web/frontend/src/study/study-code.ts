/** `<study-code>` round a textarea: line numbers, Tab indents, the field is as high as its lines. Reads no code. */
import { el } from "../dom";
import { continued, indented, outdented, type Selected } from "./code-lines";

const MOST_ROWS = 20;

export class StudyCode extends HTMLElement {
  private area: HTMLTextAreaElement | null = null;
  private readonly numbers = el("div", { class: "code-field__numbers", "aria-hidden": "true" });
  private unreadLine = 0;
  private fewest = 1;

  connectedCallback(): void {
    const area = this.querySelector("textarea");
    if (!area || this.contains(this.numbers)) return;
    this.area = area;
    this.fewest = area.rows;
    this.prepend(this.numbers);
    this.toggleAttribute("data-numbered", true);
    area.addEventListener("keydown", (event) => this.key(event));
    area.addEventListener("input", () => this.number());
    area.addEventListener("scroll", () => {
      this.numbers.scrollTop = area.scrollTop;
    });
    area.addEventListener("study-unread", (event) => this.mark((event as CustomEvent<number>).detail));
    this.number();
  }

  private mark(line: number): void {
    this.unreadLine = line;
    this.number();
  }

  private number(): void {
    const { area } = this;
    if (!area) return;
    const lines = area.value.split("\n").length;
    area.rows = Math.max(this.fewest, Math.min(lines, MOST_ROWS));
    const rows = Array.from({ length: lines }, (_, n) =>
      el("span", { class: n + 1 === this.unreadLine && "at" }, String(n + 1)),
    );
    this.numbers.replaceChildren(...rows);
  }

  /** Tab indents while the field has focus; Escape leaves it (the page's own key), then Tab goes on. */
  private key(event: KeyboardEvent): void {
    const { area } = this;
    if (!area || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const now = { text: area.value, start: area.selectionStart, end: area.selectionEnd };
    if (event.key === "Tab") this.put(event.shiftKey ? outdented(now) : indented(now));
    else if (event.key === "Enter" && !event.shiftKey) this.put(continued(now));
    else return;
    event.preventDefault();
  }

  /** Through the editor where there is one, so that the browser's own undo takes it back. */
  private put({ text, start, end }: Selected): void {
    const { area } = this;
    if (!area) return;
    area.select();
    if (!document.execCommand?.("insertText", false, text)) {
      area.value = text;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    area.setSelectionRange(start, end);
  }
}
