/** What a renderer is given and what it gives back: one file draws one kind of picture. */
import type { Facts, Frame, Parameters, Tensor } from "./types";

export interface Scene {
  /** Every step that can be shown; those the worker has not sent yet are made from the facts. */
  frames: readonly Frame[];
  at: number;
  /** The step to move from, or null to show the end state at once. */
  from: number | null;
  facts: Facts;
  parameters: Parameters;
  roleName: string;
  /** True where another value than the page asked for is shown. */
  tried: boolean;
  tensor(tensor: Tensor | undefined): Float32Array | undefined;
}

/** What a picture may ask of its player. */
export interface Host {
  retry(changes: Parameters): void;
}

export interface Renderer {
  readonly element: HTMLElement;
  show(scene: Scene): void;
  /** True if the key was the picture's own. */
  key(event: KeyboardEvent): boolean;
  dispose(): void;
}

interface FactStep {
  step: string;
  axes: string[];
  shape: number[];
  strides: number[];
  contiguous: boolean;
  copies?: boolean;
  note?: string;
}

/** The steps the facts promise: known before a worker has seen the picture. */
export function promisedSteps(facts: Facts): FactStep[] {
  return Array.isArray(facts.steps) ? (facts.steps as FactStep[]) : [];
}

function draft(promised: FactStep, n: number): Frame {
  return {
    n,
    step: promised.step,
    layout: "grid",
    title: "",
    sentence: promised.note ?? "",
    axes: promised.axes,
    shape: promised.shape,
    strides: promised.strides,
    contiguous: promised.contiguous,
    dtype: "",
    values: [],
    table: { columns: [], rows: [] },
    error: "",
    tensors: [],
    stamp: {},
  };
}

/** Frames that came, and drafts from the facts for those still to come. */
export function withDrafts(facts: Facts, frames: readonly Frame[]): Frame[] {
  const promised = promisedSteps(facts);
  if (promised.length === 0) return [...frames];
  const byStep = new Map(frames.map((frame) => [frame.step, frame]));
  return promised.map((fact, n) => byStep.get(fact.step) ?? draft(fact, n));
}

export const tensorOf = (frame: Frame | undefined, role: string): Tensor | undefined =>
  frame?.tensors.find((tensor) => tensor.role === role);
