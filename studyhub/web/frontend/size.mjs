// Prints what pages load of script and style, packed, and fails where the script is larger than its budget.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET = 60_000;
/** What pages draw and ask with at the most: the sections of a topic, a card with its picture and that of its answer. */
const PAGES = [
  ["grid", "generic", "memory-tape"],
  ["grid", "heat"],
  ["grid", "blocks", "program", "fields"],
  ["silent", "blocks"],
];
const read = (name) => readFileSync(new URL(`../static/studyhub/dist/${name}`, import.meta.url));
const packed = (name) => gzipSync(read(name), { level: 6 }).length;
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** A script and all that it loads with itself. */
function withImports(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, other] of read(name).toString().matchAll(/from\s*[`"']\.\/([\w-]+\.js)[`"']/g)) withImports(other, found);
  return found;
}

const sizeOf = (names) => [...new Set(names.flatMap((name) => [...withImports(`${name}.js`)]))].reduce((sum, name) => sum + packed(name), 0);
const script = Math.max(...PAGES.map((kinds) => sizeOf(["app", ...kinds])));
console.log(
  `page script ${kB(sizeOf(["app"]))}, with the pictures of the largest page ${kB(script)} of ${kB(BUDGET)} gzipped, ` +
    `${kB(packed("files.js"))} more to save a file, style ${kB(packed("app.css"))}`,
);
if (script > BUDGET) process.exit(1);
