/** The KV cache of one token and of many under each scheme, as bars beside their numbers. Knows no player. */
import { el } from "../dom";
import { memory } from "./bytes";
import { bytesOf, NAMES, pairsOf, SCHEMES, type Sharing, type Step } from "./sharing-facts";
import { count, plural } from "./words";

export class Cache {
  readonly element: HTMLElement;
  private readonly table = el("table", { class: "sharing-cache__table" });
  private readonly note = el("p", { class: "note" });

  constructor() {
    this.element = el("div", { class: "sharing-cache" }, this.table, this.note);
  }

  show(sharing: Sharing, step: string): void {
    const rows = SCHEMES.map((name) => ({ name, size: bytesOf(sharing, name) }));
    rows.sort((one, other) => other.size - one.size);
    const most = Math.max(1, rows[0]?.size ?? 1);
    const head = (text: string, look = "number") => el("th", { scope: "col", class: look }, text);
    this.table.replaceChildren(
      el("caption", {}, "KV cache"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, "scheme")),
          el("td", {}),
          head("bytes / token"),
          head(`at ${plural(sharing.tokens, "token")}`),
        ),
      ),
      el(
        "tbody",
        {},
        ...rows.map(({ name, size }) => row(sharing, name, { size, most, chosen: name === step })),
      ),
    );
    this.note.textContent = `${sharing.ships} ${sharing.noGroups}`.trim();
  }
}

function row(
  sharing: Sharing,
  step: Step,
  { size, most, chosen }: { size: number; most: number; chosen: boolean },
): HTMLElement {
  const bar = el("span", { class: "sharing-cache__bar" });
  bar.style.inlineSize = `${Math.max(0.3, (100 * size) / most)}%`;
  const pairs = pairsOf(sharing, step);
  const kept = pairs ? plural(pairs, "K/V head") : `latent ${count(sharing.rank)} + ${count(sharing.rope)}`;
  return el(
    "tr",
    { "aria-current": chosen ? "true" : null },
    el("th", { scope: "row" }, el("b", {}, NAMES[step]), " ", el("span", { class: "note" }, kept)),
    el("td", { class: "sharing-cache__track" }, bar),
    el("td", { class: "number mono" }, count(size)),
    el("td", { class: "number mono" }, memory(size * sharing.tokens, most * sharing.tokens)),
  );
}
