/** The scale under a map: its colours, its ends and how the steps run. Knows no map but its scale. */
import type { Matrix } from "./matrix";
import type { Inks } from "./palette";
import type { Text } from "./surface";

/** Height that a map leaves for its legend. */
export const LEGEND = 56;

/** A drawing that a legend stands under: where its map begins and where it ends. */
export interface Ground {
  left: number;
  width: number;
  height: number;
}

const legendLeft = (ground: Ground) => ground.left + 20;
const LEGEND_ACROSS = 180;
const LEGEND_UP = 36;
/** Room that the words need to stand in the line of the scale. */
const WORDS_ACROSS = 210;

export function drawLegend(
  context: CanvasRenderingContext2D,
  matrix: Matrix,
  ground: Ground,
  paints: Inks,
): void {
  const steps = 9;
  for (let n = 0; n < steps; n++) {
    const place = matrix.signed ? (n / (steps - 1)) * 2 - 1 : n / (steps - 1);
    const arm = place < 0 ? paints.minus : paints.heat;
    const stop = 3 * Math.round(255 * Math.abs(place));
    context.fillStyle = `rgb(${arm.subarray(stop, stop + 3).join(" ")})`;
    context.fillRect(
      legendLeft(ground) + (n * LEGEND_ACROSS) / steps,
      ground.height - LEGEND_UP,
      LEGEND_ACROSS / steps,
      13,
    );
  }
  context.strokeStyle = paints.colour("line");
  context.lineWidth = 1;
  context.strokeRect(legendLeft(ground) - 0.5, ground.height - LEGEND_UP - 0.5, LEGEND_ACROSS + 1, 14);
}

const hidden = (matrix: Matrix): boolean => matrix.values.some((value) => !Number.isFinite(value));

export function legendTexts(matrix: Matrix, ground: Ground): Text[] {
  const y = ground.height - LEGEND_UP + 11;
  const [low, high] = matrix.signed ? [`−${matrix.top.toFixed(1)}`, `+${matrix.top.toFixed(1)}`] : ["0", "1"];
  const words = matrix.signed
    ? `even steps, 0 is the ground${hidden(matrix) ? ", grey is hidden" : ""}`
    : "weight, square-root steps";
  const end = legendLeft(ground) + LEGEND_ACROSS;
  return [
    { x: legendLeft(ground) - 8, y, text: low, anchor: "end" },
    { x: end + 8, y, text: high },
    ground.width - end > WORDS_ACROSS
      ? { x: end + 28, y, text: words, look: "quiet" }
      : { x: legendLeft(ground), y: y + 18, text: words, look: "quiet" },
  ];
}
