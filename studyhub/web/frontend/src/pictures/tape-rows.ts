/** Which cells of memory a tape shows and what is marked in them. Pure. */
import { indexAt, type Layout, numbersOf, offsetOf, placeAt, runOf } from "./storage";

/** Numbers in one line of the tape, and lines: never more than 512 cells. */
export const PER_ROW = 16;
export const MOST_ROWS = 12;
/** Lines of each of two tapes that stand in the room of one. */
export const HALF = 5;
/** Numbers that are followed in reading order. */
const FOLLOWED = 16;

/** A cell that is read, and as the how many-th from the traced one on. */
export interface Read {
  offset: number;
  order: number;
}

/** The traced number and the 15 after it; then the last of its run and the first after the jump. */
export function readsFrom(layout: Layout, index: readonly number[]): Read[] {
  const [numbers, run] = [numbersOf(layout.shape), runOf(layout)];
  const first = placeAt(layout.shape, index);
  const end = (Math.floor(first / run) + 1) * run - 1;
  const places = Array.from({ length: FOLLOWED }, (_, n) => first + n);
  if (end >= first + FOLLOWED && end + 1 < numbers) places.push(end, end + 1);
  return places
    .filter((place) => place < numbers)
    .map((place) => ({ offset: offsetOf(layout, indexAt(layout.shape, place)), order: place - first + 1 }));
}

/** Starts of runs in reading order, from the run of the traced number on: where reading jumps to. */
export function jumpsFrom(layout: Layout, index: readonly number[]): number[] {
  const [numbers, run] = [numbersOf(layout.shape), runOf(layout)];
  const first = Math.floor(placeAt(layout.shape, index) / run);
  return Array.from({ length: FOLLOWED }, (_, n) => (first + n) * run)
    .filter((place) => place < numbers)
    .map((place) => offsetOf(layout, indexAt(layout.shape, place)));
}

/** First offsets of the lines shown: those read, as far as there is room, then those around the traced one. */
export function rowsShown(reads: readonly Read[], cells: number, most = MOST_ROWS): number[] {
  const all = Math.max(1, Math.ceil(cells / PER_ROW));
  const rows = new Set<number>();
  const add = (row: number) => row >= 0 && row < all && rows.size < most && rows.add(row);
  for (const { offset } of reads) add(Math.floor(offset / PER_ROW));
  const around = Math.floor((reads[0]?.offset ?? 0) / PER_ROW);
  for (let by = 1; rows.size < Math.min(most, all); by++) {
    add(around + by);
    add(around - by);
  }
  return [...rows].sort((one, other) => one - other).map((row) => row * PER_ROW);
}

/** The stretch of memory an overview shows: all of it, or that around the jumps where they are but a speck. */
export function stretch(offsets: readonly number[], cells: number): { from: number; to: number } {
  const [least, most] = [Math.min(...offsets), Math.max(...offsets)];
  const span = most - least + 1;
  if (span * 24 > cells || cells < 4096) return { from: 0, to: cells };
  const from = Math.max(0, least - span);
  return { from, to: Math.min(cells, most + span) };
}
