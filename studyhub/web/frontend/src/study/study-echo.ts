/** `<study-echo for="answer">`, or without `for` the cell that has focus: how the text is read while it is typed.
 *
 * Plain numbers and shapes (`data-type` of the field) are read here at once; all else, and what is not read here,
 * by the service: after a pause, the last text only. */
import { el } from "../dom";
import { echoNumber, echoShape, type Asked as Given } from "./echo";
import { mathOf } from "./mathml";
import { askReading, type Reading, type Unread } from "./readings";
import { type Place, placeOf } from "./unread-place";

type Field = HTMLInputElement | HTMLTextAreaElement;

const PAUSE = 150; // ms without a key
const HERE: Record<string, (text: string, given: Given) => string> = {
  numeric: echoNumber,
  shape: echoShape,
};
/** Before what was typed, where nothing more is wanted than one number, or one shape. */
const NOT_YET: Record<string, string> = {
  numeric: "Not a number yet: ",
  shape: "A shape needs whole numbers of 1 or more: ",
};

export class StudyEcho extends HTMLElement {
  private field: Field | null = null;
  private waiting = 0;
  private asking: AbortController | null = null;
  private readonly typed = (event: Event) => event.target === this.field && this.show();
  private readonly entered = (event: Event) => this.follow(event.target);

  connectedCallback(): void {
    const form = this.closest("form");
    this.field = document.getElementById(this.getAttribute("for") ?? "") as Field | null;
    this.setAttribute("role", "status");
    form?.addEventListener("input", this.typed);
    if (!this.field) form?.addEventListener("focusin", this.entered);
    this.follow(this.field ?? document.activeElement);
    if (this.field && !told(this.field)) this.show();
  }

  disconnectedCallback(): void {
    this.stop();
  }

  /** The cell that has focus is the one that is read; a button leaves the last reading where it is. */
  private follow(target: EventTarget | null): void {
    if (!(target instanceof HTMLInputElement) || !target.name.startsWith("cell-")) return;
    if (target.form !== this.closest("form")) return;
    this.field = target;
    if (told(target)) this.clear();
    else this.show();
  }

  private stop(): void {
    clearTimeout(this.waiting);
    this.asking?.abort();
  }

  private show(): void {
    const { field } = this;
    this.stop();
    if (!field) return;
    const here = field.value.trim() ? HERE[field.dataset.type ?? ""]?.(field.value, given(field)) : "";
    if (!field.value.trim()) this.clear();
    else if (here) this.told([here]);
    else this.waiting = window.setTimeout(() => this.ask(field), PAUSE);
  }

  private clear(): void {
    this.replaceChildren();
    this.toggleAttribute("data-unread", false);
    this.mark(0);
  }

  /** How the field is read, after its name where there are several. */
  private told(words: (string | Node)[]): void {
    this.clear();
    this.replaceChildren(...(this.field ? cellName(this.field) : []), ...words);
  }

  private async ask(field: Field): Promise<void> {
    const asking = new AbortController();
    this.asking = asking;
    const text = field.value;
    const found = await askReading({ ...this.about(), field: nameOf(field), text }, asking.signal);
    if (asking.signal.aborted) return;
    if (!found) this.clear();
    else if ("reason" in found) this.unread(found, text, field);
    else this.read(found);
  }

  private about(): { card: string; version: number; seed: number } {
    const form = this.closest("form");
    const value = (name: string) => (form?.elements.namedItem(name) as HTMLInputElement | null)?.value ?? "";
    const card = this.closest("study-card")?.getAttribute("card") ?? value("card");
    return { card, version: Number(value("version")), seed: Number(value("variant_seed")) };
  }

  private read({ readAs, mathml }: Reading): void {
    const math = mathml ? mathOf(mathml) : null;
    this.told(math ? ["Read as ", math] : [readAs]);
  }

  private unread({ reason, offset }: Unread, text: string, field: Field): void {
    const place = placeOf(text, offset);
    const line = place && place.lines > 1 ? place.line : 0;
    const said = line && !/\bline\b/i.test(reason) ? `Line ${line}: ${reason}` : reason;
    const first = /^I could not read/.test(reason) ? NOT_YET[field.dataset.type ?? ""] : undefined;
    this.told(first ? [first] : worded(`${said} `));
    if (place) this.append(marked(place));
    else if (first) this.append(el("code", {}, text.trim()));
    this.toggleAttribute("data-unread", true);
    this.mark(line || (place ? 1 : 0));
  }

  /** Tells the field which of its lines could not be read; 0 is none. */
  private mark(line: number): void {
    this.field?.dispatchEvent(new CustomEvent("study-unread", { detail: line }));
  }
}

/** Whether the page itself says already what is wrong with the text. */
const told = (field: Field): boolean =>
  field.getAttribute("aria-invalid") === "true" && field.value === field.defaultValue;

/** A sentence with `code` in it, as the service writes it. */
const worded = (text: string): (string | Node)[] =>
  text.split("`").map((piece, n) => (n % 2 ? el("code", {}, piece) : piece));

const marked = ({ before, at, after }: Place): Node =>
  el("samp", { class: "answer__where" }, before, el("mark", { class: "at" }, at), after);

const nameOf = (field: Field): string =>
  field.name.startsWith("cell-") ? `cells.${field.name.slice("cell-".length)}` : field.name;

/** Whose reading it is, where there are several fields. */
const cellName = (field: Field): Node[] =>
  field.name.startsWith("cell-")
    ? [el("span", { class: "note" }, `${field.getAttribute("aria-label") ?? ""}: `)]
    : [];

const given = (field: Field): Given => ({
  unit: field.dataset.unit ?? "",
  names: (field.dataset.names ?? "").split(" ").filter(Boolean),
});
