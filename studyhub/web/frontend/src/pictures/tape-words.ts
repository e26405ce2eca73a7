/** The memory tape in words: index to offset as a table and as a line, runs, copies, what strides miss. Knows no canvas. */
import { el } from "../dom";
import { placeName } from "./planes-view";
import { type Answer, type Layout, numbersOf, offsetOf, runOf, type Step } from "./storage";
import type { Read } from "./tape-rows";
import { axisClass, count } from "./words";

type Words = (Node | string)[];

const coloured = (text: string, axis: string) => el("span", { class: `mono ${axisClass(axis)}` }, text);

/** "b 0, h 1, t 2, d 5 → 0·3072 + 1·64 + 2·768 + 5 = 1605, byte 6420, cache line 100", each axis in its colour. */
export function reading(layout: Layout, index: readonly number[], each: number, line: number): Words {
  const { names, strides, offset: start } = layout;
  const offset = offsetOf(layout, index);
  const who = index.flatMap((at, axis) => [
    axis ? ", " : "",
    coloured(placeName(names[axis] ?? "", at), names[axis] ?? ""),
  ]);
  const terms = index.map((at, axis) => {
    const stride = strides[axis] ?? 0;
    return coloured(stride === 1 ? String(at) : `${at}·${stride}`, names[axis] ?? "");
  });
  const sum = [...(start ? [String(start)] : []), ...terms].flatMap((term, n) => [n ? " + " : "", term]);
  const byte = offset * each;
  const lies = ` = ${offset}, byte ${byte}, cache line ${Math.floor(byte / line)}`;
  return [...who, " → ", ...sum, el("b", { class: "mono" }, lies)];
}

/** A cell of memory that no index reads, or that several do. */
export function howRead(offset: number, times: number, more: boolean): string {
  if (times === 0) return `Offset ${count(offset)} is read by no index.`;
  return times > 1
    ? `Offset ${count(offset)} is read ${more ? "at least " : ""}${count(times)} times; the first is`
    : "";
}

export interface Column {
  head: string;
  /** One number an axis. */
  cells: readonly number[];
  /** Cells that differ from what they should be. */
  wrong?: readonly boolean[];
}

/** A row a reading, a column an axis: lengths, strides, the index, what it adds. */
export function axesTable(caption: string, names: readonly string[], rows: readonly Column[]): HTMLElement {
  const heads = names.map((name) => el("th", { scope: "col", class: axisClass(name) }, name));
  const body = rows.map(({ head, cells, wrong }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, head),
      ...names.map((name, axis) => {
        const cell = cells[axis];
        const look = `number mono ${wrong?.[axis] ? "is-wrong" : axisClass(name)}`;
        const mark = wrong?.[axis] ? "✗ " : "";
        return el("td", { class: look }, cell === undefined ? "" : mark + count(cell));
      }),
    ),
  );
  const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "axis"), ...heads));
  const words = el("caption", { class: "visually-hidden" }, caption);
  return el("table", { class: "tape__axes" }, words, head, el("tbody", {}, ...body));
}

/** How memory is read, under the strip that shows all of it. */
export function passage(step: Step, each: number): string {
  const { layout, before, copies, bytes } = step;
  const all = `${count(layout.cells)} numbers, ${count(layout.cells * each)} bytes`;
  if (copies) return `${readIn(before)}, written side by side: ${count(bytes)} bytes are copied.`;
  return `${readIn(layout)}. All of memory: ${all}.`;
}

function readIn(layout: Layout): string {
  const [run, numbers] = [runOf(layout), numbersOf(layout.shape)];
  if (numbers === 0) return "Nothing is read";
  if (run === numbers) return `Read in one run of ${count(run)}, without a jump`;
  const jumps = numbers / run - 1;
  return `Read in runs of ${count(run)} number${run === 1 ? "" : "s"}, then a jump: ${count(jumps)} jump${jumps === 1 ? "" : "s"}`;
}

/** How many cache lines the first numbers from the traced one on lie in. */
export function linesTouched(reads: readonly Read[], perLine: number): string {
  const first = reads.filter(({ order }) => order <= 16);
  const lines = new Set(first.map(({ offset }) => Math.floor(offset / perLine))).size;
  const many = first.length === 1 ? "1 number lies" : `${first.length} numbers from here on lie`;
  return `${many} in ${lines} cache line${lines === 1 ? "" : "s"} of ${perLine} numbers.`;
}

/** What hatches and dots mean, where there are any. */
export const marks = (times: Uint16Array | null): string =>
  times?.some((often) => often !== 1) ? "Hatched cells are read more than once, dotted ones never." : "";

/** What the learner's strides miss, from the facts: known before anything has run. */
export function missed({ read_twice: twice, never_read: never, works, note }: Answer, cells: number): string {
  if (note) return `${note.replace(/^refused: /, "Refused: ")}.`;
  if (works) return "The same number at every index.";
  if (twice === null || never === null) return "Another number at some index.";
  if (twice === 0 && never === 0)
    return `Every one of ${count(cells)} cells is read once, and in another order.`;
  return `Of ${count(cells)} cells ${count(twice)} are read more than once and ${count(never)} never.`;
}

/** Heads give the colour where there are any, else the last axis; numbers of the traced head are stronger. */
export function inkOf({ names }: Layout): { ink: string; axis: number } {
  const axis = names.indexOf("H");
  const look = axisClass(axis >= 0 ? "H" : (names.at(-1) ?? "")).replace("axis-", "");
  return { ink: look === "d_model" ? "d-model" : look || "accent", axis };
}

/** The chain with its last operation strong. */
export function coded(code: string): (Node | string)[] {
  const cut = code.lastIndexOf(".");
  return cut < 0 ? [code] : [code.slice(0, cut), el("b", {}, code.slice(cut))];
}
