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
const WORDS_ACROSS = 250;

export function drawLegend(
  context: CanvasRenderingContext2D,
  matrix: Matrix,
  ground: Ground,
  paints: Inks,
): void {
  const [steps, both] = [9, matrix.negative];
  for (let n = 0; n < steps; n++) {
    const place = both ? (n / (steps - 1)) * 2 - 1 : n / (steps - 1);
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

const ends = (matrix: Matrix): [string, string] => {
  if (matrix.root) return ["0", "1"];
  const top = Number.isInteger(matrix.top) ? String(matrix.top) : matrix.top.toFixed(1);
  return matrix.negative ? [`−${top}`, `+${top}`] : ["0", top];
};

/** The ends of the scale and how its steps run; `word` says what one number is. */
export function legendTexts(matrix: Matrix, ground: Ground, word = "weight"): Text[] {
  const y = ground.height - LEGEND_UP + 11;
  const [low, high] = ends(matrix);
  const even = matrix.negative ? "even steps, 0 is the ground" : `${word}, even steps`;
  const steps = matrix.root ? `${word}, square-root steps` : even;
  const words = `${steps}${matrix.hidden ? ", grey is hidden" : ""}`;
  const end = legendLeft(ground) + LEGEND_ACROSS;
  return [
    { x: legendLeft(ground) - 8, y, text: low, anchor: "end" },
    { x: end + 8, y, text: high },
    ground.width - end > WORDS_ACROSS
      ? { x: end + 20 + high.length * 8, y, text: words, look: "quiet" }
      : { x: legendLeft(ground), y: y + 18, text: words, look: "quiet" },
  ];
}
