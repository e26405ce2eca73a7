/** The wire contract of a picture: what the service sends. Knows no DOM and no drawing. */

export interface Tensor {
  role: string;
  axes: string[];
  shape: number[];
  encoding: "u8sqrt" | "u8" | "f16" | "f32";
  minimum: number;
  maximum: number;
  packed: "none" | "tril";
  sha256: string;
  bytes: number;
}

export type Cell = string | number | boolean | null;

export interface Frame {
  n: number;
  step: string;
  layout: string;
  title: string;
  sentence: string;
  axes: string[];
  shape: number[];
  strides: number[];
  contiguous: boolean;
  dtype: string;
  values: number[];
  table: { columns: string[]; rows: Cell[][] };
  error: string;
  tensors: Tensor[];
  stamp: {
    engine?: string;
    torch?: string;
    device?: string;
    weights?: string;
    ms?: number;
    processor?: string;
    threads?: number;
    measured?: string;
  };
}

export type Parameters = Record<string, unknown>;

export interface Spec {
  kind: string;
  parameters: Parameters;
  seed: number;
}

export type State = "absent" | "queued" | "running" | "done" | "failed";

export type Facts = Record<string, unknown>;

export interface Requested {
  digest: string;
  state: State;
  stream: string;
  poll: string;
  facts: Facts;
  /** All parameters, those left out filled in. */
  parameters?: Parameters;
  seed?: number;
}

export interface Polled {
  state: State;
  frames: { id: string; frame: Frame }[];
  retry_after_ms?: number;
  code?: string;
  sentence?: string;
}

export interface Failure {
  code: string;
  sentence: string;
}
