/** `<study-ordering>`: rows that move by pointer and by keys; the selects underneath carry the answer. */
import { el } from "../dom";
import { moved, placeFor, spoken, where } from "./order";

/** The place of a row that is no part of the order. */
const OUT = "out";

export class StudyOrdering extends HTMLElement {
  private list: HTMLOListElement | null = null;
  private readonly live = el("p", { class: "visually-hidden", role: "status", "aria-live": "assertive" });
  private readonly line = el("li", { class: "ordering__line" }, "Not part of it");
  private readonly placed = el("p", { class: "answer__echo" });
  private lifted: HTMLElement | null = null;
  private orderBefore: HTMLElement[] = [];

  connectedCallback(): void {
    this.list = this.querySelector("ol");
    if (!this.list || this.contains(this.live)) return;
    this.append(this.live);
    this.toggleAttribute("data-movable", true);
    for (const row of this.rows) this.prepare(row);
    if (this.hasAttribute("distractors")) this.offerOut();
    this.takeUp();
  }

  /** Rows below this line are sent as no part of the order; moving across it works as any other move. */
  private offerOut(): void {
    this.list?.append(this.line);
    this.append(this.placed);
  }

  /** Rows, and among them the line where there is one. */
  private get rows(): HTMLElement[] {
    return this.list ? ([...this.list.children] as HTMLElement[]) : [];
  }

  /** Rows that were given places before stand in that order again, those left out below the line. */
  takeUp(): void {
    const most = this.rows.length;
    const place = (row: HTMLElement) => {
      const chosen = row.querySelector("select")?.value;
      return row === this.line ? most + 2 : chosen === OUT ? most + 3 : Number(chosen || most + 1);
    };
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
    const { rows } = this;
    const within = rows.includes(this.line) ? rows.indexOf(this.line) : rows.length;
    rows.forEach((row, n) => {
      const select = row.querySelector("select");
      if (select) select.value = n < within ? String(n + 1) : OUT;
      if (row === this.line) return;
      row.setAttribute("aria-label", `${name(row)}, ${where(n, within)}`);
      row.dataset.place = n < within ? String(n + 1) : "";
    });
    const out = rows.length - within - 1;
    this.placed.textContent = `${within} placed${out > 0 ? `, ${out} not part of it` : ""}`;
    this.dispatchEvent(new Event("input", { bubbles: true }));
  }

  private move(row: HTMLElement, to: number): void {
    const order = moved(this.rows, this.rows.indexOf(row), to);
    this.arrange(order, row);
    this.number();
    const within = order.includes(this.line) ? order.indexOf(this.line) : order.length;
    this.live.textContent = spoken(name(row), order.indexOf(row), within);
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
    else if (by) this.rows[this.rows[at + by] === this.line ? at + 2 * by : at + by]?.focus();
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
      this.live.textContent = `${name(row)} dropped, ${row.getAttribute("aria-label")?.slice(name(row).length + 2)}`;
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
