/** A map as a picture of one pixel a cell, in the colours of the scale. Knows no layout. */
import { level, type Matrix } from "./matrix";
import type { Inks } from "./palette";

/** One pixel a cell, in the colours of the scale. */
export function pixels(matrix: Matrix, paints: Inks): HTMLCanvasElement {
  const image = new ImageData(matrix.columns, matrix.rows);
  for (let row = 0; row < matrix.rows; row++)
    for (let column = 0; column < matrix.columns; column++) {
      const place = level(matrix, row, column);
      const arm = (place ?? 0) < 0 ? paints.minus : paints.heat;
      const stop = 3 * Math.round(255 * Math.min(1, Math.abs(place ?? 0)));
      const colour = place === null ? [128, 128, 128, 40] : [...arm.subarray(stop, stop + 3), 255];
      image.data.set(colour, 4 * (row * matrix.columns + column));
    }
  const canvas = document.createElement("canvas");
  canvas.width = matrix.columns;
  canvas.height = matrix.rows;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}
