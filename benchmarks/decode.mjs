// How long bytes and JSON take to become numbers in V8: node decode.mjs maps.bin maps.json -> {bytes, json} in ms.
import { readFileSync } from "node:fs";

const [bin, text] = [readFileSync(process.argv[2]), readFileSync(process.argv[3], "utf8")];
let kept = 0;

function fromBytes() {
  const view = new Uint8Array(bin.buffer, bin.byteOffset, bin.length);
  let sum = 0;
  for (let i = 0; i < view.length; i++) sum += view[i];
  kept += sum;
}

function fromJson() {
  kept += JSON.parse(text).length;
}

function median(run, calls) {
  for (let i = 0; i < 5 * calls; i++) run();
  const times = [];
  for (let i = 0; i < 9; i++) {
    const start = process.hrtime.bigint();
    for (let n = 0; n < calls; n++) run();
    times.push(Number(process.hrtime.bigint() - start) / 1e6 / calls);
  }
  return times.sort((a, b) => a - b)[4];
}

const told = { bytes: median(fromBytes, 20), json: median(fromJson, 1) };
if (!Number.isFinite(kept)) throw new Error("the bytes were not read");
console.log(JSON.stringify(told));
