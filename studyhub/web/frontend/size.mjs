// Prints what a page loads of script and style, packed, and fails where the script is larger than its budget.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET = 60_000;
const packed = (name) => gzipSync(readFileSync(new URL(`../static/studyhub/dist/${name}`, import.meta.url)), { level: 6 }).length;
const [script, files, style] = ["app.js", "files.js", "app.css"].map(packed);
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
console.log(`page script ${kB(script)} of ${kB(BUDGET)} gzipped, ${kB(files)} more to save a file, style ${kB(style)}`);
if (script > BUDGET) process.exit(1);
