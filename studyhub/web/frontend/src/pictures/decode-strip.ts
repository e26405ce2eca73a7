/** The tokens of a text as chips, under each a bar for the weight it gets; one of them is pointed at. */
import { el } from "../dom";
import { type Column, columnAt, countOf } from "./decode-data";
import { spoken } from "./decode-words";
import type { Facts } from "./types";
import { count } from "./words";

export class Strip {
  private readonly line = el("div", {
    class: "decode__strip",
    role: "slider",
    tabindex: 0,
    "aria-orientation": "vertical",
    "aria-label": "Token of the text",
    "data-testid": "decode-strip",
  });
  private readonly read = el("p", { class: "decode__read", "data-testid": "picture-read" });
  private readonly legend = el("p", { class: "decode__legend note" });
  readonly element = el("div", { class: "decode__tokens" }, this.legend, this.line, this.read);
  private columns: readonly Column[] = [];
  private facts: Facts = {};
  /** The position pointed at; -1 for none, then the strongest is read. */
  position = -1;

  constructor(private readonly pointed: (position: number) => void) {
    this.line.addEventListener("pointerover", (event) => this.follow(event));
    this.line.addEventListener("click", (event) => this.follow(event));
  }

  show(columns: readonly Column[], facts: Facts): void {
    this.columns = columns;
    this.facts = facts;
    this.line.replaceChildren(...columns.map((column) => cell(column, facts)));
    this.legend.replaceChildren(...legendOf(columns, facts));
    this.mark();
    this.line.scrollLeft = this.line.scrollWidth;
  }

  select(position: number): void {
    this.position = position;
    this.mark();
  }

  /** Up and down walk the positions. */
  walk(by: number): void {
    const to = Math.max(0, Math.min(this.columns.length - 1, this.at + by));
    const column = this.columns[to];
    if (!column) return;
    this.select(column.first);
    this.intoSight(to);
    this.pointed(column.first);
  }

  private get at(): number {
    const found = this.position < 0 ? -1 : columnAt(this.columns, this.position);
    return found < 0 ? this.strongest : found;
  }

  /** Without weights the newest. */
  private get strongest(): number {
    if (this.facts.source === "table") return this.columns.length - 1;
    const weights = this.columns.map(({ mean }) => (Number.isFinite(mean) ? mean : -1));
    return weights.length === 0 ? -1 : weights.indexOf(Math.max(...weights));
  }

  private follow(event: Event): void {
    const target = event.target instanceof Element ? event.target.closest(".decode__token") : null;
    const column = target ? this.columns[[...this.line.children].indexOf(target)] : undefined;
    if (!column || column.first === this.position) return;
    this.select(column.first);
    this.pointed(column.first);
  }

  private mark(): void {
    const { at, columns } = this;
    for (const [n, one] of [...this.line.children].entries()) one.classList.toggle("is-read", n === at);
    const column = columns[at];
    const text = column ? spoken(column, this.facts) : "";
    if (this.read.textContent !== text) this.read.textContent = text;
    this.line.setAttribute("aria-valuemin", "0");
    this.line.setAttribute("aria-valuemax", String(Math.max(0, columns.length - 1)));
    this.line.setAttribute("aria-valuenow", String(Math.max(0, at)));
    this.line.setAttribute("aria-valuetext", text || "No token yet");
  }

  /** Scrolls the strip's own region, never the page. */
  private intoSight(n: number): void {
    const one = this.line.children[n];
    if (!(one instanceof HTMLElement)) return;
    const left = one.offsetLeft - this.line.offsetLeft;
    if (left < this.line.scrollLeft) this.line.scrollLeft = left;
    else if (left + one.offsetWidth > this.line.scrollLeft + this.line.clientWidth)
      this.line.scrollLeft = left + one.offsetWidth - this.line.clientWidth;
  }
}

const stateOf = ({ held, now, prompt }: Column): string =>
  held === 0 ? "is-out" : now ? "is-now" : prompt ? "is-prompt" : "is-new";

function cell(column: Column, facts: Facts): HTMLElement {
  const many = countOf(column) > 1;
  const text = many ? `${count(countOf(column))} tokens` : column.text || " ";
  const chip = el("span", { class: "decode__chip" }, text);
  const place = el(
    "span",
    { class: "decode__place" },
    many ? `${column.first}–${column.last}` : String(column.first),
  );
  const weighs = facts.source !== "table";
  return el(
    "span",
    { class: `decode__token ${stateOf(column)}`, "aria-hidden": "true" },
    chip,
    ...(weighs && column.held > 0 ? [bars(column)] : []),
    column.held === 0 ? el("span", { class: "decode__word" }, "out") : weighs ? weight(column) : null,
    place,
  );
}

const weight = ({ mean }: Column): HTMLElement =>
  el("span", { class: "decode__word mono" }, mean >= 0.005 ? mean.toFixed(2).replace(/^0/, "") : "");

function bars({ mean, head }: Column): HTMLElement {
  const bar = (look: string, value: number) => {
    const one = el("i", { class: look });
    one.style.blockSize = `${Math.round(1000 * Math.sqrt(Math.min(1, Math.max(0, value || 0)))) / 10}%`;
    return one;
  };
  return el("span", { class: "decode__bars" }, bar("decode__mean", mean), bar("decode__head", head));
}

function legendOf(columns: readonly Column[], facts: Facts): Node[] {
  const key = (look: string, words: string) => el("span", {}, el("i", { class: look }), ` ${words}`);
  const weighed =
    facts.source === "table"
      ? []
      : [
          key("decode__mean", `weight, mean of ${facts.num_heads} heads (bars: square root)`),
          key("decode__head", `head ${facts.head}`),
        ];
  const out = columns.some(({ held }) => held === 0) ? [key("decode__gone", "out: evicted")] : [];
  return [...weighed, key("decode__key is-prompt", "prompt"), key("decode__key is-now", "new"), ...out];
}
