/** Where an element lies in memory: strides as arithmetic. Pure. */
import { apart, type Element3, formOf, ownOf, placeOfAxis, type Sizes } from "./pieces";
import type { Frame } from "./types";
import { count } from "./words";

export interface Place {
  offset: number;
  /** "2 × 768 + 6 × 64 + 5", the arithmetic of the offset. */
  sum: string;
}

const strideOf = (frame: Frame, axis: "T" | "H"): number => frame.strides[placeOfAxis(frame, axis)] ?? 0;

/** The feature an element is in a row of `row` features: h*D + d, held inside the row. */
export const feature = (element: Element3, sizes: Sizes, row: number): number =>
  Math.min(row - 1, element.h * sizes.width + element.d);

/** The same in an unbroken frame; a latent has no feature of one head, so there its row's first stands. */
const featureIn = (frame: Frame, element: Element3, sizes: Sizes): number =>
  apart(frame) ? 0 : feature(element, sizes, frame.shape.at(-1) ?? 1);

/** Offset of element (0, t, h, d) in the frame's storage; of K the head that head h reads, of a narrower one its last. */
export function placeOf(frame: Frame, element: Element3, sizes: Sizes): Place {
  const { group, width, tokens } = ownOf(frame, sizes);
  const [t, d] = [Math.min(element.t, tokens - 1), Math.min(element.d, width - 1)];
  const token: [number, number] = [t, strideOf(frame, "T")];
  const last = frame.strides.at(-1) ?? 1;
  const rest: [number, number][] =
    formOf(frame) === "bars"
      ? [[featureIn(frame, { ...element, d }, { ...sizes, width }), last]]
      : [
          [Math.floor(element.h / group), strideOf(frame, "H")],
          [d, last],
        ];
  const terms = [token, ...rest].sort((one, other) => other[1] - one[1]);
  return {
    offset: terms.reduce((sum, [index, stride]) => sum + index * stride, 0),
    sum: terms
      .map(([index, stride]) => (stride === 1 ? count(index) : `${count(index)} × ${count(stride)}`))
      .join(" + "),
  };
}

export interface Run {
  start: number;
  length: number;
  t: number;
  h: number;
}

/** The runs of consecutive numbers of batch item 0: one for each shown token and head. */
export function runs(frame: Frame, sizes: Sizes): Run[] {
  const row = frame.shape.at(-1) ?? 1;
  const whole = formOf(frame) === "bars";
  const { group, width, tokens } = ownOf(frame, sizes);
  const length = whole ? row / sizes.heads : width;
  const found: Run[] = [];
  for (let t = 0; t < Math.min(sizes.rows, tokens); t++)
    for (let h = 0; h < sizes.heads; h += group) {
      const start = t * strideOf(frame, "T") + (whole ? h * length : (h / group) * strideOf(frame, "H"));
      found.push({ start, length, t, h });
    }
  return found;
}

/** How far the shown runs reach: the length of the tape. */
export const extent = (all: readonly Run[]): number =>
  Math.max(1, ...all.map((run) => run.start + run.length));

/** Which axis the memory runs through slowest, "T" or "H". */
export function outerAxis(frame: Frame): "T" | "H" {
  if (formOf(frame) === "bars") return "T";
  return strideOf(frame, "H") > strideOf(frame, "T") ? "H" : "T";
}
