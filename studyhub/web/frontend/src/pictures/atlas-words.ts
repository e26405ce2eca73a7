/** What is said of one head: its name, its measures, its pattern. Knows no canvas. */
import { type AtlasData, measuresOf, sortedBy } from "./atlas-data";

/** What a pattern is called where there is little room. */
export const SHORT_PATTERN: Record<string, string> = {
  none: "",
  "previous token": "previous",
  "next token": "next",
  "own token": "own",
};

const UNITS: Record<string, (value: string) => string> = {
  entropy: (value) => `${value} nats`,
  locality: (value) => `${value} tokens`,
};

/** "Layer 3, head 1". */
export const nameOf = (head: number, heads: number): string =>
  `Layer ${Math.floor(head / heads)}, head ${head % heads}`;

/** A measure as it is written: two digits, and what is not all or nothing is never 1.00 or 0.00. */
export function written(value: number, weight: boolean): string {
  if (!weight) return value.toFixed(2);
  if (value > 0 && value < 0.005) return "<0.01";
  return value >= 0.995 && value < 1 ? ">0.99" : value.toFixed(2);
}

export const isWeight = (name: string): boolean => UNITS[name] === undefined;

/** "1.31 nats", "0.42". */
export const withUnit = (name: string, value: number): string => {
  const text = written(value, isWeight(name));
  return UNITS[name]?.(text) ?? text;
};

/** "Layer 3, head 1: entropy 1.31 nats, sink 0.42, pattern own token"; at a sorted step its number first. */
export function spokenHead(data: AtlasData, head: number, step: string): string {
  const measures = measuresOf(data, head);
  const told = measures.filter(({ name }) => ["entropy", "sink"].includes(name));
  const first = measures.find(({ name }) => name === step.split(" ")[0]);
  const pair = step.startsWith("pair") ? sortedBy(data, step)?.[head] : undefined;
  const parts = [
    pair === undefined ? "" : `weight of the pair ${written(pair, true)}`,
    ...[...(first && !told.includes(first) ? [first] : []), ...told].map(
      ({ name, value }) => `${name} ${withUnit(name, value)}`,
    ),
    data.patterns[head] === "none" ? "no pattern" : `pattern ${data.patterns[head]}`,
  ];
  return `${nameOf(head, data.heads)}: ${parts.filter(Boolean).join(", ")}`;
}
