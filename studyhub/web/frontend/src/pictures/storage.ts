/** A tensor as strides over one run of memory: index to offset and back, runs, what is never read. Pure. */
import type { Facts } from "./types";

/** A tensor over memory of `cells` numbers; lengths, strides and offset are counted in numbers. */
export interface Layout {
  names: readonly string[];
  shape: readonly number[];
  strides: readonly number[];
  offset: number;
  cells: number;
}

/** One step of the chain: the tensor it gives, the one it was given, what was copied. */
export interface Step {
  step: string;
  code: string;
  layout: Layout;
  before: Layout;
  copies: boolean;
  bytes: number;
  refused: boolean;
}

interface Told {
  step: string;
  code: string;
  axes: string[];
  shape: number[];
  strides: number[];
  offset: number;
  copies: boolean;
  bytes_copied: number;
  refused?: boolean;
}

export interface Answer {
  shape: number[];
  strides: number[];
  right_strides: number[];
  runs: boolean;
  note: string;
  read_twice: number | null;
  never_read: number | null;
  works: boolean;
}

/** Up to this many numbers each cell of memory is counted; more would hold up the page. */
const COUNTED = 2 ** 20;
/** Places of an index that are looked at before the search for readers of one cell ends. */
const MOST_VISITS = 4096;
const MOST_READERS = 64;

export const numbersOf = (shape: readonly number[]): number => shape.reduce((all, size) => all * size, 1);

export const offsetOf = ({ offset, strides }: Layout, index: readonly number[]): number =>
  index.reduce((sum, at, axis) => sum + at * (strides[axis] ?? 0), offset);

/** The index of the place-th number in reading order: 64 in (2, 12, 4, 64) is (0, 0, 1, 0). */
export function indexAt(shape: readonly number[], place: number): number[] {
  let rest = place;
  return shape
    .toReversed()
    .map((size) => {
      const at = rest % Math.max(1, size);
      rest = Math.floor(rest / Math.max(1, size));
      return at;
    })
    .reverse();
}

export const placeAt = (shape: readonly number[], index: readonly number[]): number =>
  shape.reduce((place, size, axis) => place * size + (index[axis] ?? 0), 0);

/** Numbers that lie side by side, read in order, before a jump. */
export function runOf({ shape, strides }: Layout): number {
  let run = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== run) break;
    run *= shape[axis] ?? 1;
  }
  return run;
}

export interface Readers {
  /** The first index in reading order that reads the cell; null where none does. */
  first: number[] | null;
  times: number;
  /** True where there are more than were counted. */
  more: boolean;
}

/** Which indices read the cell at `offset`: the way back from storage to tensor. */
export function readersOf(layout: Layout, offset: number): Readers {
  const { shape, strides } = layout;
  const axes = shape
    .map((size, n) => ({ n, size, stride: strides[n] ?? 0 }))
    .filter(({ size }) => size !== 1);
  const moving = axes.filter(({ stride }) => stride > 0).sort((one, other) => other.stride - one.stride);
  const still = axes.filter(({ stride }) => stride === 0).reduce((times, { size }) => times * size, 1);
  const reach = moving.map((_, n) =>
    moving.slice(n + 1).reduce((sum, a) => sum + (a.size - 1) * a.stride, 0),
  );
  const index = shape.map(() => 0);
  const found: number[] = [];
  let visits = 0;
  const visit = (depth: number, rest: number): void => {
    if (found.length >= MOST_READERS || visits++ > MOST_VISITS) return;
    const axis = moving[depth];
    if (!axis) {
      if (rest === 0) found.push(placeAt(shape, index));
      return;
    }
    const least = Math.max(0, Math.ceil((rest - (reach[depth] ?? 0)) / axis.stride));
    for (let at = least; at <= Math.min(axis.size - 1, Math.floor(rest / axis.stride)); at++) {
      index[axis.n] = at;
      visit(depth + 1, rest - at * axis.stride);
    }
    index[axis.n] = 0;
  };
  if (numbersOf(shape) > 0 && offset >= layout.offset) visit(0, offset - layout.offset);
  const first = found.length ? indexAt(shape, Math.min(...found)) : null;
  const more = found.length >= MOST_READERS || visits > MOST_VISITS;
  return { first, times: found.length * still, more };
}

/** How often each cell of memory is read; null where that is too much to count in a page. */
export function timesRead(layout: Layout): Uint16Array | null {
  const numbers = numbersOf(layout.shape);
  if (Math.max(numbers, layout.cells) > COUNTED) return null;
  const times = new Uint16Array(layout.cells);
  const walk = (axis: number, offset: number): void => {
    const [size, stride] = [layout.shape[axis] ?? 1, layout.strides[axis] ?? 0];
    if (axis >= layout.shape.length) times[offset] = Math.min(65535, (times[offset] ?? 0) + 1);
    else for (let at = 0; at < size; at++) walk(axis + 1, offset + at * stride);
  };
  walk(0, layout.offset);
  return times;
}

/** The chain as the facts tell it. A refused step keeps the tensor it was given. */
export function stepsOf(facts: Facts): Step[] {
  let memory = Number(facts.numbers ?? 0);
  let layout: Layout = { names: [], shape: [], strides: [], offset: 0, cells: memory };
  return ((facts.steps ?? []) as Told[]).map((told) => {
    const before = layout;
    if (told.copies) memory = numbersOf(told.shape);
    if (!told.refused) {
      const { axes: names, shape, strides, offset } = told;
      layout = { names, shape, strides, offset, cells: memory };
    }
    const { step, code, copies, bytes_copied: bytes } = told;
    return {
      step,
      code,
      layout,
      before: before.shape.length ? before : layout,
      copies,
      bytes,
      refused: !!told.refused,
    };
  });
}

/** The learner's strides over the memory of the last tensor. */
export function triedOn(answer: Answer, last: Layout): Layout {
  const { shape, strides } = answer;
  const names = shape.length === last.names.length ? last.names : shape.map((_, n) => `axis ${n}`);
  return { ...last, names, shape, strides };
}

/** Follows one number through a step, forwards or back: where nothing is copied its cell stays, else its place. */
export function carried(step: Step, index: readonly number[], back = false): number[] {
  const [from, to] = back ? [step.layout, step.before] : [step.before, step.layout];
  const found = step.copies
    ? indexAt(to.shape, Math.min(placeAt(from.shape, index), numbersOf(to.shape) - 1))
    : readersOf(to, offsetOf(from, index)).first;
  return found ?? to.shape.map(() => 0);
}
