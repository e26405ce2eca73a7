/** Where a picture's numbers come from, in one line. */
import type { Frame, Parameters } from "./types";

/** Beside an answer only who ran it: "torch 2.14.1, CPU". */
export const shortStamp = (stamp: string): string => stamp.replace(/^.*?(?=torch )/, "");

/** "Computed for this question, batch item 0 of 2, torch 2.14.1, CPU": where the numbers come from. */
export function provenance(frame: Frame | undefined, parameters: Parameters, lab = false): string {
  const { torch, device, weights, measured } = frame?.stamp ?? {};
  if (!frame || !torch) return "";
  const done = measured ? "Measured" : "Computed";
  const from = weights ? ` from ${weights}` : "";
  const batch = Number(frame.shape[frame.axes.indexOf("B")] ?? parameters.batch ?? 1);
  const item = batch > 1 ? `, batch item 0 of ${batch}` : "";
  if (device === "meta") return `Shapes only, torch ${torch}`;
  if (lab) {
    const exact = frame.dtype ? `, ${frame.dtype}` : "";
    const sums = frame.step === "weights" ? ", each row sums to 1" : "";
    return `${done} on this server${from}${item}${exact}${sums}, torch ${torch}, ${device ?? ""}`;
  }
  return `${done} for this question${from}${item}, torch ${torch}, ${device ?? ""}`;
}
