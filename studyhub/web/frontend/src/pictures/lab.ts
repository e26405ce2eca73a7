/** `<study-lab>`: a page about one picture; keeps its heading, its line of numbers, its address and its form by it. Knows no drawing. */
import { el } from "../dom";
import { copied } from "./link";
import type { StudyPicture, Told } from "./player";
import { count } from "./words";

const WRITE_MS = 400;
const SAID_MS = 2500;
/** Numbers said at the head, each with the letter and the colour of its axis. */
const AXES = [
  ["num_heads", "H", "axis-H"],
  ["num_kv_heads", "H_kv", ""],
  ["d_head", "D", "axis-D"],
  ["d_model", "d_model", "axis-d_model"],
  ["batch", "B", "axis-B"],
  ["tokens", "T", "axis-T"],
] as const;
const MOST_TOKENS = 512;

export class StudyLab extends HTMLElement {
  private question = "";
  private readonly length = el("span", { class: "lab__tokens note" });
  /** The link to what the page opened with, which its address says already. */
  private opened = "";
  private timer = 0;
  private said: Told | null = null;

  connectedCallback(): void {
    if (!this.picture || this.dataset.on !== undefined) return;
    this.dataset.on = "";
    this.question = this.heading?.textContent ?? "";
    this.addTools(this.picture);
    this.addEventListener("picture-told", (event) => this.told((event as CustomEvent<Told>).detail));
    this.picture.tell();
  }

  private get picture(): StudyPicture | null {
    return this.querySelector("study-picture");
  }

  private get heading(): HTMLElement | null {
    return this.querySelector("h1");
  }

  private addTools(picture: StudyPicture): void {
    const tools = this.querySelector(".lab__tools");
    const said = el("span", { class: "lab__said note", role: "status" });
    const copy = async () => {
      const link = picture.link;
      said.textContent = (await copied(link)) ? "Copied" : "It is in the address";
      history.replaceState(history.state, "", link);
      window.setTimeout(() => said.replaceChildren(), SAID_MS);
    };
    const onclick = () => void copy();
    tools?.append(said, el("button", { type: "button", class: "button", onclick }, "Copy link"));
    const files = picture.querySelector(".picture__tools");
    files?.querySelector("summary")?.setAttribute("class", "button");
    if (files) tools?.append(files);
  }

  private told(told: Told): void {
    const { heading } = this;
    const words = told.question || this.question;
    if (heading && heading.textContent !== words) heading.textContent = words;
    this.sayNumbers(told);
    if (!this.opened && this.picture?.dataset.phase === "drawn") this.opened = this.picture.link;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.write(), WRITE_MS);
  }

  /** What follows from the numbers, once they are others: pointing at something changes none of them. */
  private sayNumbers(told: Told): void {
    const { complete, frames } = told;
    if (complete === this.said?.complete && frames.length === this.said.frames.length) return;
    this.said = told;
    const numbers = numbersOf(told);
    this.querySelector(".lab__line")?.replaceChildren(...lineOf(numbers, told));
    this.sayLength(numbers);
    fillForm(told);
  }

  /** The address says what is shown, once that is another than the page opened with. */
  private write(): void {
    const link = this.picture?.link ?? "";
    if (!this.opened || this.picture?.dataset.phase !== "drawn") return;
    if (link !== this.opened && link !== location.href) history.replaceState(history.state, "", link);
  }

  /** "16 of 512 tokens" at the end of the sentence. */
  private sayLength({ tokens }: Record<string, unknown>): void {
    const field = this.querySelector("[name=sentence].edits__text");
    if (typeof tokens !== "number" || !field) return;
    if (!this.length.isConnected) field.after(this.length);
    this.length.textContent = `${count(tokens)} of ${MOST_TOKENS} tokens`;
  }
}

/** Whole numbers of the picture: parameters, what is known of them, and the tokens of a sentence. */
function numbersOf({ complete, facts, frames }: Told): Record<string, unknown> {
  const whole = Object.entries(facts).filter(([, value]) => Number.isInteger(value));
  const frame = frames.find(({ axes }) => axes.includes("T"));
  const tokens = frame?.shape[frame.axes.indexOf("T")];
  const sentence = typeof complete.sentence === "string" && tokens ? { tokens } : {};
  return { ...complete, ...Object.fromEntries(whole), ...sentence };
}

/** "MiniLM-L6, a trained encoder: 6 layers, H = 12, D = 32, d_model = 384, T = 16". */
function lineOf(numbers: Record<string, unknown>, { complete }: Told): (Node | string)[] {
  const model = document.querySelector<HTMLOptionElement>(
    `select[data-models] option[value="${CSS.escape(String(complete.model ?? ""))}"]:not([value=""])`,
  );
  const layers = Number(numbers.layers ?? model?.dataset.layers ?? 0);
  const many = layers ? `${layers} layer${layers === 1 ? "" : "s"}` : "";
  const shape = Array.isArray(complete.shape) && complete.shape.length > 0;
  const axes = AXES.filter(([name]) => !shape && Number(numbers[name]) > 0)
    .filter(([name]) => name !== "num_kv_heads" || numbers[name] !== numbers.num_heads)
    .map(([name, letter, look]) => el("b", { class: look }, `${letter} = ${count(Number(numbers[name]))}`));
  const parts = [many, ...axes].filter(Boolean).flatMap((one, n) => (n ? [", ", one] : [one]));
  const colon = parts.length > 0 ? ": " : "";
  return [model ? `${model.textContent}${colon}` : "", ...parts];
}

/** The form below knows what was given, and shows what the rest came to. */
function fillForm({ given, complete }: Told): void {
  for (const field of document.querySelectorAll<HTMLInputElement>(".lab__all input[name]")) {
    if (field === document.activeElement) continue;
    const [own, all] = [given[field.name], complete[field.name]];
    field.value = own === undefined ? "" : String(own);
    if (all !== undefined) field.placeholder = String(all);
  }
  for (const field of document.querySelectorAll<HTMLSelectElement>(".lab__all select[name]")) {
    if (field === document.activeElement) continue;
    const own = "models" in field.dataset ? complete[field.name] : given[field.name];
    field.value = String(own ?? "");
  }
}
