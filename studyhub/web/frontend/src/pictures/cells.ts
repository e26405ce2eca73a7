/** A map as a picture of one pixel a cell, in the colours of the scale. Knows no layout. */
import { level, type Matrix } from "./matrix";
import type { Inks } from "./palette";

const HIDDEN = [128, 128, 128, 40] as const;

interface Made {
  heat: Uint8ClampedArray;
  canvas: HTMLCanvasElement;
}

/** Made pictures by the bytes of their numbers and the place among them; another theme makes them anew. */
const made = new WeakMap<ArrayBufferLike, Map<number, Made>>();

/** One pixel a cell. The same numbers in the same colours are painted once. */
export function pixels(matrix: Matrix, paints: Inks): HTMLCanvasElement {
  const { buffer, byteOffset } = matrix.values;
  const known = made.get(buffer) ?? new Map<number, Made>();
  made.set(buffer, known);
  const before = known.get(byteOffset);
  if (before?.heat === paints.heat) return before.canvas;
  const canvas = painted(matrix, paints);
  known.set(byteOffset, { heat: paints.heat, canvas });
  return canvas;
}

function painted(matrix: Matrix, paints: Inks): HTMLCanvasElement {
  const image = new ImageData(matrix.columns, matrix.rows);
  for (let row = 0; row < matrix.rows; row++)
    for (let column = 0; column < matrix.columns; column++)
      put(image.data, 4 * (row * matrix.columns + column), level(matrix, row, column), paints);
  const canvas = document.createElement("canvas");
  canvas.width = matrix.columns;
  canvas.height = matrix.rows;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

function put(data: Uint8ClampedArray, at: number, place: number | null, paints: Inks): void {
  if (place === null) {
    data.set(HIDDEN, at);
    return;
  }
  const arm = place < 0 ? paints.minus : paints.heat;
  const stop = 3 * Math.round(255 * Math.min(1, Math.abs(place)));
  data[at] = arm[stop] ?? 0;
  data[at + 1] = arm[stop + 1] ?? 0;
  data[at + 2] = arm[stop + 2] ?? 0;
  data[at + 3] = 255;
}
