/** Bytes as the interface writes them. Knows no state. */
import { count } from "./words";

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const two = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

const unitOf = (bytes: number): number =>
  Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));

/** "2.50 GiB" in the unit of the largest, so that several can be compared; small ones keep two digits. */
export function memory(bytes: number, largest = bytes): string {
  const unit = unitOf(largest);
  if (unit === 0) return `${count(bytes)} bytes`;
  const value = bytes / 1024 ** unit;
  return value >= 0.01 ? `${two.format(value)} ${UNITS[unit]}` : memory(bytes);
}

/** A round number for a tick, "16 MiB"; nothing is "0". */
export function roundMemory(bytes: number): string {
  if (bytes === 0) return "0";
  const unit = unitOf(bytes);
  return `${count(Number((bytes / 1024 ** unit).toPrecision(4)))} ${UNITS[unit]}`;
}
