// Reads {"a", "b"} a line on standard input; prints a line each: true or false, "unread" where KAS cannot parse one
// of the two, "broke" where it throws while comparing.
import readline from "node:readline";
import * as KAS from "@khanacademy/kas";

const read = (text) => KAS.parse(text, { functions: ["f", "g"] });

function verdict({ a, b }) {
  const [left, right] = [read(a), read(b)];
  if (!left.parsed || !right.parsed) return "unread";
  try {
    return KAS.compare(left.expr, right.expr).equal;
  } catch {
    return "broke";
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(verdict(JSON.parse(line))));
}
