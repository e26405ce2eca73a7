/** Tensors of a cache that were really allocated: each shape, its bytes by formula beside those in memory. */
import { el } from "../dom";
import { icon } from "./icons";
import type { Cell, Frame } from "./types";
import { axisClass, count } from "./words";

interface Line {
  name: string;
  axes: string[];
  sizes: string[];
  formula: number;
  held: number;
}

/** The rows of a frame of memory: of tensors with axes and shape, or of what was counted. */
export function linesOf({ table }: Pick<Frame, "table">): Line[] {
  const at = (cells: readonly Cell[], name: string) => cells[table.columns.indexOf(name)];
  return table.rows.map((cells) => ({
    name: String(cells[0] ?? ""),
    axes: String(at(cells, "axes") ?? "")
      .split(" ")
      .filter(Boolean),
    sizes: String(at(cells, "shape") ?? "").match(/\d+/g) ?? [],
    formula: Number(at(cells, "bytes by formula") ?? 0),
    held: Number(at(cells, "bytes in memory") ?? 0),
  }));
}

export function memoryRows(frame: Frame): HTMLElement[] {
  const lines = linesOf(frame);
  const most = Math.max(1, ...lines.flatMap(({ formula, held }) => [formula, held]));
  return lines.map(({ name, axes, sizes, formula, held }) => {
    const equal = formula === held;
    const verdict = equal
      ? "equal to the byte"
      : `${count(Math.abs(held - formula))} bytes ${held > formula ? "more" : "fewer"}`;
    return el(
      "div",
      { class: "budget-tensor" },
      el("p", { class: "budget-tensor__name" }, el("b", {}, name), " ", shapeOf(axes, sizes)),
      bar("by formula", formula, most, "is-kept"),
      bar("in memory", held, most, "is-answered"),
      el("p", { class: "budget-row__flag" }, icon(equal ? "correct" : "incorrect"), verdict),
    );
  });
}

function shapeOf(axes: readonly string[], sizes: readonly string[]): HTMLElement {
  const parts = sizes.map((size, n) =>
    el(
      "span",
      { class: axisClass(axes[n] ?? ""), title: axes[n] ?? "" },
      `${axes[n] ?? ""} ${count(Number(size))}`,
    ),
  );
  return el(
    "span",
    { class: "budget-tensor__shape mono" },
    ...parts.flatMap((part, n) => (n ? [" × ", part] : [part])),
  );
}

function bar(words: string, bytes: number, most: number, look: string): HTMLElement {
  const line = el("span", { class: `budget-row__bar ${look}` });
  line.style.inlineSize = `${Math.max(0.5, (62 * bytes) / most)}%`;
  return el(
    "div",
    { class: "budget-tensor__line" },
    el("span", { class: "note" }, words),
    el("span", { class: "budget-row__cell" }, line, el("span", { class: "mono" }, count(bytes))),
  );
}
