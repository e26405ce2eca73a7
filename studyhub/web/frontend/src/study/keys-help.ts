/** `<keys-help>`: "?" shows the keys of this page in a dialog. The list is read off the page itself. */
import { el, plain, typing } from "../dom";

interface KeyRow {
  keys: string;
  does: string;
}

/** Keys that pages carry without naming them on a button, by the element that has them. */
const QUIET: readonly (readonly [string, readonly KeyRow[]])[] = [
  ["label.choice", [{ keys: "A to D", does: "choose that row" }]],
  [
    "rating-bar",
    [
      { keys: "1 to 4", does: "rate" },
      { keys: "Enter", does: "take the suggested rating" },
    ],
  ],
  [
    "study-ordering",
    [
      { keys: "Alt ↑ ↓", does: "move the row" },
      { keys: "Space", does: "lift or drop the row, Esc puts it back" },
    ],
  ],
  [
    "study-code",
    [
      { keys: "Tab", does: "in a field of lines: indent, Shift Tab takes it back" },
      { keys: "Esc Tab", does: "leave a field of lines" },
    ],
  ],
  [".sure", [{ keys: "F2", does: "how sure you are: Guess, Likely, Sure" }]],
  ["topic-sections details", [{ keys: "A", does: "open all sections" }]],
  [
    "study-picture",
    [
      { keys: "Space", does: "in a picture: play or pause" },
      { keys: "← →", does: "in a picture: step before, step after" },
      { keys: "Home End", does: "in a picture: first or last step" },
      { keys: "↑ ↓ ← →", does: "in a drawing that has focus: point at the next number" },
      { keys: "Shift ← ↑ → ↓", does: "in a picture: point at the next number, wherever the focus is" },
      { keys: "[ ]", does: "in a picture: the head before, the head after" },
      { keys: "T", does: "in a picture: picture or table" },
      { keys: "L", does: "in a picture: copy a link to this step" },
    ],
  ],
  ["#try, [edit]", [{ keys: "X", does: "try another value" }]],
];

/** What the page offers: its key caps with their buttons, then the quiet ones. */
export function keysOf(root: ParentNode = document): KeyRow[] {
  const named = [...root.querySelectorAll<HTMLElement>("a, button, summary")].flatMap((control) => {
    const caps = [...control.querySelectorAll("kbd")];
    const keys = caps.map((cap) => cap.textContent).join(" ");
    if (!keys || control.closest("keys-help, study-picture, rating-bar")) return [];
    const words = [...control.childNodes]
      .filter((node) => !caps.includes(node as HTMLElement))
      .map((node) => node.textContent ?? "");
    return [{ keys, does: words.join("").trim() }];
  });
  const quiet = QUIET.filter(([selector]) => root.querySelector(selector)).flatMap(([, rows]) => rows);
  const seen = new Set<string>();
  return [...named, ...quiet, { keys: "?", does: "show these keys" }].filter(
    ({ keys, does }) => !seen.has(keys + does) && seen.add(keys + does),
  );
}

export class KeysHelp extends HTMLElement {
  private readonly listen = (event: KeyboardEvent) => {
    if (event.key !== "?" || !plain(event) || typing(event.target) || document.querySelector("dialog[open]"))
      return;
    event.preventDefault();
    this.show();
  };

  connectedCallback(): void {
    document.addEventListener("keydown", this.listen);
    if (this.childElementCount) return;
    const button = el("button", { type: "button", class: "keys-help__open", onclick: () => this.show() });
    button.append("Keys ", el("kbd", {}, "?"));
    this.append(button);
  }

  disconnectedCallback(): void {
    document.removeEventListener("keydown", this.listen);
  }

  private show(): void {
    const rows = keysOf().map(({ keys, does }) =>
      el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, keys)), el("td", {}, does)),
    );
    const close = el(
      "button",
      { class: "button button--small", autofocus: true },
      "Close ",
      el("kbd", {}, "Esc"),
    );
    const dialog = el(
      "dialog",
      { class: "keys-help__dialog", "aria-labelledby": "keys-help-title" },
      el("h2", { id: "keys-help-title" }, "Keys of this page"),
      el("div", { class: "keys-help__list" }, el("table", {}, el("tbody", {}, ...rows))),
      el("form", { method: "dialog" }, close),
    );
    dialog.addEventListener("close", () => dialog.remove());
    this.append(dialog);
    dialog.showModal();
  }
}

/** Puts the help into the bar of every page that has room for it. */
export function offerKeys(): void {
  if (document.querySelector("keys-help")) return;
  document.querySelector(".session__end, .bar__end")?.prepend(document.createElement("keys-help"));
}
