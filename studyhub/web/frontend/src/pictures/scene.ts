/** What a renderer is given and what it gives back: one file draws one kind of picture, or one layout of frames. */
import type { Facts, Frame, Parameters, Tensor } from "./types";

/** What is pointed at, as whole numbers whose meaning is the renderer's own: [row, column] unless it says otherwise. */
export type Place = readonly number[];

/** A row of the frame's table, counted from 0, and in it a cell, counted from 1 as the first names the row. */
export interface Spot {
  row: number;
  column?: number;
}

export interface Scene {
  /** Every step that can be shown; those the worker has not sent yet are made from the facts. */
  frames: readonly Frame[];
  at: number;
  /** The step to move from, or null to show the end state at once. */
  from: number | null;
  facts: Facts;
  parameters: Parameters;
  seed: number;
  roleName: string;
  /** True where another value than the page asked for is shown. */
  tried: boolean;
  /** What is pointed at: by the reader, by the table or by the link that opened the page. */
  place: Place | null;
  tensor(tensor: Tensor | undefined): Float32Array | undefined;
}

/** What a picture may ask of its player. */
export interface Host {
  retry(changes: Parameters): void;
  /** The reader points at something in the picture: its row of the table is marked. */
  point(place: Place): void;
  /** Shows a step by its name, if it has come. */
  goTo?(step: string): void;
}

export interface Renderer {
  readonly element: HTMLElement;
  show(scene: Scene): void;
  /** True if the key was the picture's own. */
  key(event: KeyboardEvent): boolean;
  dispose(): void;
  /** The table, or a link, points at something: it is marked as if the pointer were on it. */
  point?(place: Place): void;
  /** What the drawing marks by itself before anything is pointed at: its row of the table is marked too. */
  marked?(): Place;
  /** Where a place stands in the frame's table, null for nowhere; undefined means `usualSpot`. */
  inTable?(place: Place, frame: Frame): Spot | null | undefined;
  /** The place that a row of the frame's table stands for, null for none; undefined means `usualPlace`. */
  ofTable?(spot: Spot, frame: Frame): Place | null | undefined;
  /** The tables of all frames at once, where one step alone is not what is read. */
  tables?(): HTMLElement[];
  /** A heading that follows from what is pointed at: "Where does “it” look?"; "" for the page's own. */
  question?(): string;
  /** True where the picture of a frame is mostly its table, which is then shown with it. */
  needsTable?(frame: Frame): boolean;
  /** What chooses a step in place of the line of steps. */
  readonly chooser?: HTMLElement;
}

/** [row, column] of numbers whose table has a row for each row: the usual meaning of a place. */
export function usualSpot([row, column]: Place, frame: Frame): Spot | null {
  if (row === undefined || row < 0 || row >= frame.table.rows.length) return null;
  const cells = frame.table.columns.length - 1;
  const whole = frame.layout === "series" || cells === frame.shape.at(-1);
  return whole && column !== undefined && column >= 0 && column < cells
    ? { row, column: column + 1 }
    : { row };
}

export const usualPlace = ({ row, column }: Spot): Place =>
  column === undefined || column < 1 ? [row] : [row, column - 1];

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

/** Frames that came, and drafts from the facts for those still to come; frames that no fact promised stand last. */
export function withDrafts(facts: Facts, frames: readonly Frame[]): Frame[] {
  const promised = promisedSteps(facts);
  if (promised.length === 0) return [...frames];
  const byStep = new Map(frames.map((frame) => [frame.step, frame]));
  const more = frames.filter(({ step }) => !promised.some((fact) => fact.step === step));
  return [...promised.map((fact, n) => byStep.get(fact.step) ?? draft(fact, n)), ...more];
}

export const tensorOf = (frame: Frame | undefined, role: string): Tensor | undefined =>
  frame?.tensors.find((tensor) => tensor.role === role);

/** Names of the steps that came, or, while more are promised by the facts or the kind, of all that are. */
export function stepNames(
  { facts, phase }: { facts: Facts; phase: string },
  frames: readonly Frame[],
  kind: { early: boolean; steps: readonly string[] },
): string[] {
  const came = frames.map((frame) => frame.step);
  const listed = kind.early ? [] : promisedSteps(facts).map((fact) => fact.step);
  const promised = listed.length > 0 ? listed : [...kind.steps];
  return phase === "drawn" || came.length >= promised.length ? came : promised;
}
