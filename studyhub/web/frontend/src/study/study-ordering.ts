/** `<study-ordering>`: rows that move by pointer and by keys; the selects underneath carry the answer. */
import { el } from "../dom";
import { moved, placeFor, spoken } from "./order";

export class StudyOrdering extends HTMLElement {
  private list: HTMLOListElement | null = null;
  private readonly live = el("p", { class: "visually-hidden", role: "status", "aria-live": "assertive" });
  private lifted: HTMLElement | null = null;
  private orderBefore: HTMLElement[] = [];

  connectedCallback(): void {
    this.list = this.querySelector("ol");
    if (!this.list || this.contains(this.live)) return;
    this.append(this.live);
    this.toggleAttribute("data-movable", true);
    for (const row of this.rows) this.prepare(row);
    this.takeUp();
  }

  private get rows(): HTMLElement[] {
    return this.list ? ([...this.list.children] as HTMLElement[]) : [];
  }

  /** Rows that were given places before stand in that order again. */
  takeUp(): void {
    const place = (row: HTMLElement) => Number(row.querySelector("select")?.value || this.rows.length + 1);
    this.list?.append(...this.rows.sort((one, other) => place(one) - place(other)));
    this.number();
  }

  private prepare(row: HTMLElement): void {
    const select = row.querySelector("select");
    if (select) select.hidden = true;
    const grip = el("span", { class: "ordering__grip", "aria-hidden": "true" }, "⠿");
    row.prepend(grip);
    row.tabIndex = 0;
    row.setAttribute("aria-roledescription", "movable row");
    row.addEventListener("keydown", (event) => this.key(event, row));
    row.addEventListener("pointerdown", (event) => this.drag(event, row));
    row.addEventListener("blur", () => this.lifted === row && this.drop());
  }

  /** Every select says the place its row has now: what the form sends. */
  private number(): void {
    this.rows.forEach((row, n) => {
      const select = row.querySelector("select");
      if (select) select.value = String(n + 1);
      row.setAttribute("aria-label", `${name(row)}, ${n + 1} of ${this.rows.length}`);
      row.dataset.place = String(n + 1);
    });
    this.dispatchEvent(new Event("input", { bubbles: true }));
  }

  private move(row: HTMLElement, to: number): void {
    const order = moved(this.rows, this.rows.indexOf(row), to);
    this.arrange(order, row);
    this.number();
    this.live.textContent = spoken(name(row), order.indexOf(row), order.length);
  }

  /** Puts the other rows round this one: it stays in the document, so it keeps focus and pointer. */
  private arrange(order: readonly HTMLElement[], row: HTMLElement): void {
    const at = order.indexOf(row);
    row.before(...order.slice(0, at));
    row.after(...order.slice(at + 1));
  }

  private key(event: KeyboardEvent, row: HTMLElement): void {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const at = this.rows.indexOf(row);
    if (by && (event.altKey || this.lifted === row)) this.move(row, Math.max(0, at + by));
    else if (by) this.rows[at + by]?.focus();
    else if (event.key === " ") this.lifted === row ? this.drop() : this.lift(row);
    else if (event.key === "Escape" && this.lifted === row) this.putBack();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private lift(row: HTMLElement): void {
    this.lifted = row;
    this.orderBefore = this.rows;
    row.toggleAttribute("data-lifted", true);
    this.live.textContent = `${name(row)} lifted. Arrows move it, Space drops it, Escape puts it back.`;
  }

  private drop(): void {
    const row = this.lifted;
    this.lifted = null;
    row?.removeAttribute("data-lifted");
    if (row)
      this.live.textContent = `${name(row)} dropped, ${this.rows.indexOf(row) + 1} of ${this.rows.length}`;
  }

  private putBack(): void {
    const row = this.lifted;
    if (row) this.arrange(this.orderBefore, row);
    this.number();
    this.drop();
  }

  private drag(event: PointerEvent, row: HTMLElement): void {
    if (event.button !== 0 || (event.target as Element).closest("select, a, input")) return;
    const touch = event.pointerType === "touch" && !(event.target as Element).closest(".ordering__grip");
    if (touch) return;
    row.setPointerCapture(event.pointerId);
    this.lift(row);
    const follow = (move: PointerEvent) => this.follow(move.clientY, row);
    const end = () => {
      row.removeEventListener("pointermove", follow);
      if (this.lifted === row) this.drop();
    };
    row.addEventListener("pointermove", follow);
    row.addEventListener("lostpointercapture", end, { once: true });
    row.addEventListener("pointercancel", () => this.lifted === row && this.putBack(), { once: true });
  }

  private follow(y: number, row: HTMLElement): void {
    const others = this.rows.filter((one) => one !== row);
    const middles = others.map((one) => one.getBoundingClientRect().top + one.offsetHeight / 2);
    const to = placeFor(y, middles);
    if (to !== this.rows.indexOf(row)) this.move(row, to);
  }
}

/** What a row is called: its text without grip and select. */
function name(row: HTMLElement): string {
  const own = [...row.children].filter((child) => !child.matches("select, .ordering__grip, label"));
  return own
    .map((child) => child.textContent?.trim())
    .join(" ")
    .trim();
}
