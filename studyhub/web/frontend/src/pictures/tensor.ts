/** Turns a tensor's bytes into numbers. Knows the four encodings and the packing, nothing of the network. */
import type { Tensor } from "./types";

/** The value of one IEEE 754 half: 1 sign bit, 5 of exponent, 10 of fraction. */
export function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const WIDTH = { u8sqrt: 1, u8: 1, f16: 2, f32: 4 } as const;

/** One reader for each encoding: element `i` of the body as a number. */
function reader(tensor: Tensor, view: DataView): (i: number) => number {
  switch (tensor.encoding) {
    case "u8sqrt":
      return (i) => (view.getUint8(i) / 255) ** 2;
    case "u8":
      return (i) => tensor.minimum + (view.getUint8(i) / 255) * (tensor.maximum - tensor.minimum);
    case "f16":
      return (i) => half(view.getUint16(2 * i, true));
    case "f32":
      return (i) => view.getFloat32(4 * i, true);
  }
}

/** How many numbers the body carries: all, or for `tril` the lower triangle of each last T x T square. */
export function storedCount(tensor: Tensor): number {
  const all = tensor.shape.reduce((product, length) => product * length, 1);
  if (tensor.packed === "none") return all;
  const side = tensor.shape.at(-1) ?? 0;
  return side === 0 ? 0 : (all / (side * side)) * ((side * (side + 1)) / 2);
}

/** Spreads packed lower triangles over full squares; what a query cannot see is NaN. */
function unpack(tensor: Tensor, read: (i: number) => number): Float32Array {
  const side = tensor.shape.at(-1) ?? 0;
  const all = tensor.shape.reduce((product, length) => product * length, 1);
  const out = new Float32Array(all).fill(Number.NaN);
  let at = 0;
  for (let square = 0; square < all; square += side * side)
    for (let row = 0; row < side; row++)
      for (let column = 0; column <= row; column++) out[square + row * side + column] = read(at++);
  return out;
}

/** Raw little-endian bytes in C order -> the numbers of the whole tensor. A short or long body is an error. */
export function decode(tensor: Tensor, body: ArrayBuffer): Float32Array {
  const stored = storedCount(tensor);
  const expected = stored * WIDTH[tensor.encoding];
  if (body.byteLength !== expected)
    throw new RangeError(`tensor ${tensor.role} has ${body.byteLength} bytes, its shape needs ${expected}`);
  const read = reader(tensor, new DataView(body));
  if (tensor.packed === "tril") return unpack(tensor, read);
  return Float32Array.from({ length: stored }, (_, i) => read(i));
}
