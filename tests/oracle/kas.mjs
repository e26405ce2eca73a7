// Reads {"a", "b"} a line on standard input; prints a line each: true or false, "unread" where KAS cannot parse one
// of the two, "broke" where it throws while comparing.
import readline from "node:readline";
import * as KAS from "@khanacademy/kas";

const read = (text) => KAS.parse(text, { functions: ["f", "g"] });

// KAS draws its points by Math.random; the same points for every pair make the same verdict in every run.
function seeded(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function verdict({ a, b }) {
  const [left, right] = [read(a), read(b)];
  if (!left.parsed || !right.parsed) return "unread";
  Math.random = seeded(1);
  try {
    return KAS.compare(left.expr, right.expr).equal;
  } catch {
    return "broke";
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(verdict(JSON.parse(line))));
}
