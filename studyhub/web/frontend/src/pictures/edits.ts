/** Fields for the parameters a reader may change; a change asks for the picture of the new numbers. Knows no kind. */
import { el } from "../dom";
import type { Facts, Parameters } from "./types";

/** One parameter and how it is changed. */
export interface Edit {
  name: string;
  label: string;
  takes: "number" | "choice" | "text" | "code" | "model";
  /** Values of a slider beside the field of a number. */
  stops?: readonly number[];
  /** The least number taken; 1 where nothing is said. A text of least 0 may be empty. */
  least?: number;
  choices?: readonly string[];
  /** A choice that also takes a decimal of one's own, kept as text. */
  other?: "decimal";
  /** The parameter and the value of it that this one belongs to: with another value there is no field. */
  only?: readonly [name: string, value: string];
  /** The parameter and the values of it, its default first, with which there is nothing to change here. */
  except?: readonly [name: string, ...values: string[]];
  /** True where it has no field but "Try another", with the nearest values that divide. */
  chips?: boolean;
}

const DEBOUNCE_MS = 350;

/** What a choice of a parameter is called where its name alone says too little. */
const CALLED: Record<string, string> = {
  "divisor.sqrt": "√d_head",
  "divisor.none": "1 (nothing)",
  "scale.own": "the model's own",
  "scale.sqrt": "1/√d_head",
  "scale.none": "1 (nothing)",
  "scale.d_head": "1/d_head",
  "mask.sliding_window": "sliding window",
  "mistake.view_as_heads": "view as heads, no transpose",
  "mistake.merge_without_transpose": "merge without transpose",
  "mistake.width_before_heads": "width before heads",
  "mistake.softmax_over_queries": "softmax over queries",
};

/** A number left to the engine is 0 there, which its field does not take: the field is empty. */
const shown = ({ takes, least = 1 }: Edit, value: unknown): string =>
  takes === "number" && value === 0 && least > 0 ? "" : String(value);

type Send = (changes: Parameters) => void;

/** What was typed, as the parameter takes it; a sentence where it cannot be taken. */
export function read(edit: Edit, typed: string): { value: string | number } | { why: string } {
  const text = typed.trim();
  if (edit.takes === "number") {
    const least = edit.least ?? 1;
    const value = Number(text.replaceAll(",", ""));
    if (/^[\d,]{1,12}$/.test(text) && value >= least) return { value };
    return { why: `${edit.label}: give one whole number of ${least} or more.` };
  }
  if (edit.takes === "model") return { value: text };
  if (edit.takes === "choice" && !edit.choices?.includes(text)) {
    if (/^\d{1,6}(\.\d{1,6})?$/.test(text) && Number(text) > 0) return { value: text };
    return { why: `${edit.label}: give one number above 0, such as 8 or 11.31.` };
  }
  if (!text && edit.least !== 0) return { why: `${edit.label}: it is empty.` };
  return { value: edit.takes === "code" ? typed : text };
}

export class Edits {
  readonly element: HTMLFormElement;
  private readonly note = el("p", { class: "edits__note note", role: "status" });
  private readonly fields: Field[];
  private untaken = "";
  private timer = 0;
  private pending: Parameters = {};

  constructor(
    edits: readonly Edit[],
    private readonly send: Send,
  ) {
    this.fields = edits.map((edit) =>
      FIELDS[edit.takes](edit, (typed, soon) => this.took(edit, typed, soon)),
    );
    this.element = el("form", { class: "edits", "aria-label": "Change the numbers" });
    this.element.append(...this.fields.map(({ element }) => element), this.note);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (Object.keys(this.pending).length > 0) this.flush();
    });
  }

  /** Shows the values of the picture on the stage, where it says none the page's, and of what the service filled in;
   * a field being typed in is left alone. */
  show(parameters: Parameters, facts: Facts, values: Parameters = {}, complete: Parameters = {}): void {
    const asked = (name: string) => complete[name] ?? parameters[name] ?? values[name];
    for (const { edit, set, element } of this.fields) {
      const { name, only, except } = edit;
      const now = (one: string) => asked(one) ?? facts[one];
      const [of, ...without] = except ?? [""];
      const excepted = without.includes(String(now(of) ?? without[0]));
      element.hidden = excepted || (only !== undefined && now(only[0]) !== only[1]);
      // What belongs to another value follows from that one, and the page knew only the first. The facts know
      // numbers and choices; a text of that name there is one of their own.
      const known = edit.takes === "text" ? undefined : facts[name];
      const value = only ? (complete[name] ?? parameters[name] ?? known) : (asked(name) ?? known);
      if (value !== undefined && !element.contains(document.activeElement)) set(shown(edit, value));
    }
  }

  /** Says why a picture was refused, or nothing; what was last typed and cannot be taken stays told. */
  say(sentence: string): void {
    this.note.textContent = sentence || this.untaken;
  }

  focus(): void {
    this.element.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }

  private took(edit: Edit, typed: string, soon: boolean): void {
    const found = read(edit, typed);
    this.untaken = "why" in found ? found.why : "";
    this.say("");
    if ("why" in found) return;
    this.pending = { ...this.pending, [edit.name]: found.value };
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.flush(), soon ? 0 : DEBOUNCE_MS);
  }

  private flush(): void {
    window.clearTimeout(this.timer);
    const changes = this.pending;
    this.pending = {};
    this.send(changes);
  }
}

/** One field; `took(typed, soon)` hears every change, soon = false while a slider is being moved. */
interface Field {
  edit: Edit;
  element: HTMLElement;
  set(value: string): void;
}

type Took = (typed: string, soon: boolean) => void;

const labelled = (edit: Edit, ...parts: Node[]): HTMLElement =>
  el("label", { class: "edits__field", "data-takes": edit.takes }, el("span", {}, edit.label), ...parts);

function numberField(edit: Edit, took: Took): Field {
  const input = el("input", {
    class: "edits__number",
    inputmode: "numeric",
    autocomplete: "off",
    name: edit.name,
  });
  input.addEventListener("change", () => took(input.value, true));
  const { stops } = edit;
  if (!stops) return { edit, element: labelled(edit, input), set: (value) => setTo(input, value) };
  const slider = el("input", {
    type: "range",
    min: 0,
    max: stops.length - 1,
    step: 1,
    "aria-label": `${edit.label}, slider`,
  });
  const place = () => {
    const nearest = stops.map((stop) => Math.abs(Math.log(stop) - Math.log(Number(input.value) || 1)));
    slider.value = String(nearest.indexOf(Math.min(...nearest)));
    slider.setAttribute("aria-valuetext", input.value);
  };
  slider.addEventListener("input", () => {
    input.value = String(stops[Number(slider.value)] ?? "");
    slider.setAttribute("aria-valuetext", input.value);
    took(input.value, false);
  });
  input.addEventListener("change", place);
  const set = (value: string) => {
    setTo(input, value);
    place();
  };
  const element = el("div", { class: "edits__pair" }, labelled(edit, input), slider);
  return { edit, element, set };
}

function choiceField(edit: Edit, took: Took): Field {
  const other = "another";
  const names = [...(edit.choices ?? []), ...(edit.other ? [other] : [])];
  const options = names.map((name) =>
    el("option", { value: name }, name === other ? "a number" : (CALLED[`${edit.name}.${name}`] ?? name)),
  );
  const select = el("select", { name: edit.name }, ...options);
  const own = el("input", {
    class: "edits__number",
    inputmode: "decimal",
    autocomplete: "off",
    "aria-label": `${edit.label}, a number`,
    hidden: true,
  });
  select.addEventListener("change", () => {
    own.hidden = select.value !== other;
    if (own.hidden) took(select.value, true);
    else own.focus();
  });
  own.addEventListener("change", () => took(own.value, true));
  const set = (value: string) => {
    const known = edit.choices?.includes(value) ?? false;
    if (!known && !edit.other) return;
    select.value = known ? value : other;
    own.hidden = known;
    if (!known) own.value = value;
  };
  return { edit, element: el("div", { class: "edits__pair" }, labelled(edit, select), own), set };
}

function textField(edit: Edit, took: Took): Field {
  const input = el("input", { class: "edits__text", autocomplete: "off", name: edit.name, maxlength: 2000 });
  input.addEventListener("change", () => took(input.value, true));
  return { edit, element: labelled(edit, input), set: (value) => setTo(input, value) };
}

function codeField(edit: Edit, took: Took): Field {
  const area = el("textarea", {
    class: "edits__code",
    name: edit.name,
    rows: 4,
    maxlength: 600,
    spellcheck: "false",
    autocapitalize: "off",
  });
  const onclick = () => took(area.value, true);
  const run = el("button", { type: "button", class: "button button--small", onclick }, "Run");
  const element = el("div", { class: "edits__code-field" }, labelled(edit, area), run);
  return { edit, element, set: (value) => (area.value = value) };
}

/** A model of those that the page lists for this kind; one that it does not list is shown by its name. */
function modelField(edit: Edit, took: Took): Field {
  const listed = document.querySelector("select[data-models]");
  const select = el("select", { name: edit.name });
  select.append(...[...(listed?.children ?? [])].map((one) => one.cloneNode(true)));
  select.addEventListener("change", () => took(select.value, true));
  const set = (value: string) => {
    if (![...select.options].some((one) => one.value === value))
      select.append(el("option", { value }, value));
    select.value = value;
  };
  return { edit, element: labelled(edit, select), set };
}

const setTo = (input: HTMLInputElement, value: string): void => {
  if (input.value !== value) input.value = value;
};

const FIELDS: Record<Edit["takes"], (edit: Edit, took: Took) => Field> = {
  number: numberField,
  choice: choiceField,
  text: textField,
  code: codeField,
  model: modelField,
};
