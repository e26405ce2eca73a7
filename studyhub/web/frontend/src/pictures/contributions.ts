/** What every key brings to one row of the output: weight times value, measured along the sum. Pure. */
import { type Matrix, matrixOf, rowOf } from "./matrix";
import { type Scene, tensorOf } from "./scene";
import type { Frame } from "./types";

export interface Brought {
  /** The query whose output this is. */
  row: number;
  /** Shares of the output, one a key; they sum to 1 and may be negative. */
  parts: Float32Array;
  /** The weights they came by, where they are there. */
  weights: Float32Array | null;
}

/** The parts of the row that is asked for; of a long sentence those of the one row that was sent. */
export function broughtTo(asked: number, frame: Frame, scene: Scene): Brought | null {
  const tensor = tensorOf(frame, "contributions");
  const numbers = scene.tensor(tensor);
  if (!tensor || !numbers) return null;
  const whole = tensor.shape.length === 2;
  const row = whole ? asked : Number(frame.values[0] ?? Number.NaN);
  if (!Number.isInteger(row)) return null;
  const parts = whole ? rowOf(matrixOf(tensor, numbers, 0), row) : numbers;
  const weights = weightsOf(scene);
  return { row, parts, weights: weights && rowOf(weights, row) };
}

function weightsOf(scene: Scene): Matrix | null {
  const tensor = tensorOf(
    scene.frames.find(({ step }) => step === "weights"),
    "weights",
  );
  const numbers = scene.tensor(tensor);
  return tensor && numbers ? matrixOf(tensor, numbers, 0) : null;
}
