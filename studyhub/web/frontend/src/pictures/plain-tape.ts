/** Draws frames of memory of a kind that has no drawing of its own: the cells they read, in order. Knows no kind. */
import { el } from "../dom";
import type { Host, Place, Renderer, Scene } from "./scene";
import { indexAt, type Layout, numbersOf, offsetOf, placeAt, readersOf } from "./storage";
import { TapeCells } from "./tape-cells";
import { MOST_ROWS, readsFrom, rowsShown } from "./tape-rows";
import { inkOf } from "./tape-words";
import type { Facts, Frame } from "./types";

/** The tensor of a frame over its memory; null where the frame has none. Its first offset is told by its table. */
export function layoutOf({ axes, shape, strides, table }: Frame): Layout | null {
  if (shape.length === 0 || shape.length !== strides.length || numbersOf(shape) === 0) return null;
  const told = table.rows[0]?.[table.columns.indexOf("offset")];
  const offset = typeof told === "number" ? told : 0;
  const last = shape.map((size) => size - 1);
  const layout = { names: axes, shape, strides, offset, cells: 0 };
  return { ...layout, cells: offsetOf(layout, last) + 1 };
}

/** How many numbers one cache line holds, as the facts have it; 16 numbers of 4 bytes in 64 where they say nothing. */
export const numbersPerLine = (facts: Facts): number =>
  Math.max(1, Math.floor(Number(facts.cache_line ?? 64) / Number(facts.bytes_per_number ?? 4)));

/** A place is [row]: the how many-th number in the order of reading, as the frame's table lists them. */
export class PlainTape implements Renderer {
  readonly element: HTMLElement;
  private readonly cells = new TapeCells("Memory, cells numbered as they are read", (offset) =>
    this.cellAt(offset),
  );
  private layout: Layout | null = null;
  private perLine = 16;
  private row = 0;

  constructor(private readonly host: Host) {
    this.element = el("div", { class: "tape" }, this.cells.element);
  }

  show(scene: Scene): void {
    const frame = scene.frames[scene.at];
    this.perLine = numbersPerLine(scene.facts);
    this.layout = frame ? layoutOf(frame) : null;
    this.point(scene.place ?? [this.row]);
  }

  point([row = 0]: Place): void {
    const { layout } = this;
    if (!layout) return;
    this.row = Math.min(row, numbersOf(layout.shape) - 1);
    const index = indexAt(layout.shape, this.row);
    const reads = readsFrom(layout, index);
    const rows = rowsShown(reads, layout.cells);
    const [offset, room] = [offsetOf(layout, index), Math.min(MOST_ROWS, rows.length)];
    this.cells.show({
      layout,
      offset,
      reads,
      rows,
      perLine: this.perLine,
      times: null,
      ...inkOf(layout),
      room,
    });
  }

  marked(): Place {
    return [this.row];
  }

  key(event: KeyboardEvent): boolean {
    return this.cells.key(event);
  }

  dispose(): void {
    this.cells.dispose();
  }

  private cellAt(offset: number): void {
    const found = this.layout && readersOf(this.layout, offset).first;
    if (!found || !this.layout) return;
    this.point([placeAt(this.layout.shape, found)]);
    this.host.point([this.row]);
  }
}
