/** What sharing does to a sentence: how far each number of pairs moves the output, and one head's maps. Knows no player. */
import { el } from "../dom";
import { pixels } from "./cells";
import { matrixOf } from "./matrix";
import { inks } from "./palette";
import type { Scene } from "./scene";
import { NAMES, SCHEMES, type Sharing } from "./sharing-facts";
import type { Cell, Frame } from "./types";
import { count } from "./words";

/** 0.341 -> "34 %"; what is rounding of float32 is "0". */
export function percent(share: number): string {
  if (share < 5e-5) return "0";
  return share >= 0.0995 ? `${Math.round(100 * share)} %` : `${(100 * share).toPrecision(2)} %`;
}

/** Every number of K/V heads and every width of a latent, with a bar as long as the output moves. */
export class Compared {
  readonly element = el("div", { class: "sharing-compare" });

  show(frame: Frame, sharing: Sharing): void {
    const { rows } = frame.table;
    if (rows.length === 0) {
      this.element.replaceChildren(el("p", { class: "note" }, "Being computed."));
      return;
    }
    const most = Math.max(1, ...rows.map(([, , , error]) => Number(error)));
    const part = (title: string, of: Cell[][], note: string) =>
      el(
        "table",
        { class: "sharing-compare__part" },
        el("caption", {}, title, " ", el("span", { class: "note" }, note)),
        el("thead", {}, heads()),
        el("tbody", {}, ...of.map((cells) => variant(cells, { most, sharing }))),
      );
    const latent = ([name]: Cell[]) => String(name).startsWith("latent");
    this.element.replaceChildren(
      part(
        "Pairs shared",
        rows.filter((cells) => !latent(cells)),
        "means of the layer's own pairs",
      ),
      part("A latent instead", rows.filter(latent), "fitted to this sentence alone"),
    );
  }
}

const heads = (): HTMLElement =>
  el(
    "tr",
    {},
    el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, "K and V")),
    el("th", { scope: "col" }, "output moved by"),
    el("th", { scope: "col", class: "number" }, el("span", { class: "visually-hidden" }, "share")),
    el("th", { scope: "col", class: "number" }, "numbers"),
  );

function variant(
  [name, numbers, , error]: Cell[],
  { most, sharing }: { most: number; sharing: Sharing },
): HTMLElement {
  const bar = el("span", { class: "sharing-cache__bar" });
  bar.style.inlineSize = `${(100 * Number(error)) / most}%`;
  const [many = ""] = String(name).split(" ");
  const chosen = Number(many.replaceAll(",", "")) === sharing.groups;
  return el(
    "tr",
    { "aria-current": chosen ? "true" : null },
    el("th", { scope: "row" }, String(name).replace("latent of ", "")),
    el("td", { class: "sharing-cache__track" }, bar),
    el("td", { class: "number mono" }, percent(Number(error))),
    el("td", { class: "number mono" }, count(Number(numbers))),
  );
}

/** The weights of one query head under each scheme: rows are queries, columns keys. */
export class Maps {
  readonly element = el("div", { class: "sharing-maps" });

  show(scene: Scene, frame: Frame, sharing: Sharing): void {
    const tensor = frame.tensors.find(({ role }) => role === "maps");
    const numbers = scene.tensor(tensor);
    if (!tensor || !numbers) {
      this.element.replaceChildren(el("p", { class: "note" }, "Being computed."));
      return;
    }
    const tokens = tensor.shape.at(-1) ?? 0;
    const head = Number(scene.facts.head ?? 0);
    const moved = (step: string) => {
      const found = scene.frames.find((one) => one.step === step);
      return found?.values.length ? percent(found.values[head] ?? 0) : "";
    };
    const figures = SCHEMES.map((step, n) => {
      const canvas = copied(pixels(matrixOf(tensor, numbers, n), inks()));
      canvas.setAttribute("role", "img");
      canvas.setAttribute(
        "aria-label",
        `Weights of query head ${head} under ${NAMES[step]}, ${tokens} by ${tokens}`,
      );
      const own = sharing.own === step ? ", the layer's own" : "";
      const far = moved(step);
      const said = far === "0" ? "its output stays" : `its output moves by ${far}`;
      return el(
        "figure",
        { "data-scheme": step },
        canvas,
        el("figcaption", {}, el("b", {}, NAMES[step]), `${own}: ${said}`),
      );
    });
    const told = `Rows are queries, columns keys, ${tokens} tokens; more weight stands out more from the ground, by square root.`;
    this.element.replaceChildren(...figures, el("p", { class: "note" }, told));
  }
}

/** A canvas of one's own: the painted one is kept for all who ask. */
function copied(from: HTMLCanvasElement): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = from.width;
  canvas.height = from.height;
  canvas.getContext("2d")?.drawImage(from, 0, 0);
  return canvas;
}
