// A second grader for three answer types, written from docs/offline-grading.md alone: reads a file of vectors
// and prints, as JSON, every one whose verdict it does not share.
import { readFileSync } from "node:fs";

const UNREADABLE = { outcome: "unreadable", score: 0, mistake: "" };
const known = (ids, all) => ids.every((id) => all.includes(id));
const round = (score) => Math.round(score * 10_000) / 10_000;

function choice({ answer }, { choices = [] }) {
  const option = answer.options.find(({ id }) => id === choices[0]);
  if (choices.length !== 1 || !option) return UNREADABLE;
  if (option.correct === true) return { outcome: "correct", score: 1, mistake: "" };
  return { outcome: "incorrect", score: 0, mistake: option.mistake ?? "" };
}

function multiChoice({ answer }, { choices = [] }) {
  const ids = answer.options.map(({ id }) => id);
  const doubled = new Set(choices).size < choices.length;
  const none = choices.includes("none");
  if (!choices.length || doubled || !known(choices, [...ids, "none"]) || (none && choices.length > 1)) {
    return UNREADABLE;
  }
  const picked = ({ id }) => choices.includes(id);
  const right = answer.options.filter((one) => one.correct === true);
  const wrong = answer.options.filter((one) => one.correct !== true);
  const r = right.filter(picked).length;
  const w = wrong.filter(picked).length;
  const score = credit(answer.credit ?? "net", { r, w, R: right.length, W: wrong.length });
  if (score === 1) return { outcome: "correct", score: 1, mistake: "" };
  const cause = wrong.find(picked)?.mistake ?? right.find((one) => !picked(one) && one.missed)?.missed ?? "";
  return { outcome: score > 0 ? "partial" : "incorrect", score: round(score), mistake: cause };
}

function credit(rule, { r, w, R, W }) {
  if (w === 0 && r === R) return 1;
  if (rule === "all" || R === 0 || (W > 0 && w === W)) return 0;
  if (W === 0) return r / R;
  const rules = {
    net: (r - w) / R,
    each: (r + W - w - Math.max(R, W)) / Math.min(R, W),
    coverage: r / Math.max(r + w, R),
  };
  return Math.max(0, rules[rule]);
}

function ordering({ answer, mistakes }, { order = [] }) {
  const items = answer.items.map(({ id }) => id);
  const distractors = answer.distractors ?? [];
  const shown = [...items, ...distractors.map(({ id }) => id)];
  const doubled = new Set(order).size < order.length;
  const short = order.length < items.length && !distractors.length;
  if (!order.length || doubled || !known(order, shown) || short) return UNREADABLE;
  const place = (id) => order.indexOf(id);
  const before = closed(items, answer.before);
  const kept = before.filter(([a, b]) => place(a) >= 0 && place(b) >= 0 && place(a) < place(b)).length;
  const extra = order.filter((id) => !items.includes(id)).length;
  const placed = order.length - extra;
  const inOrder = Math.max(0, (2 * kept) / before.length - 1);
  const score = inOrder * Math.max(0, (placed - extra) / items.length) * (extra ? 0.5 : 1);
  if (score === 1) return { outcome: "correct", score: 1, mistake: "" };
  const stray = distractors.filter(({ id }) => place(id) >= 0).map(({ mistake }) => mistake);
  stray.push(...answer.items.filter(({ id }) => place(id) < 0).map(({ missed }) => missed));
  const made = mistakes.find(({ name, before: pair }) =>
    pair
      ? place(pair[0]) >= 0 && place(pair[1]) >= 0 && place(pair[0]) < place(pair[1])
      : stray.includes(name),
  );
  return { outcome: score >= 0.5 ? "partial" : "incorrect", score: round(score), mistake: made?.name ?? "" };
}

/** Every pair [a, b] in which a comes before b in all right orders. */
function closed(items, chains) {
  const links = chains ?? [items];
  const after = new Map(items.map((id) => [id, new Set()]));
  for (const chain of links) chain.slice(1).forEach((id, index) => after.get(chain[index]).add(id));
  const reached = (id, seen = new Set()) => {
    for (const next of after.get(id)) {
      if (!seen.has(next)) reached(next, seen.add(next));
    }
    return seen;
  };
  return items.flatMap((a) => [...reached(a)].map((b) => [a, b]));
}

const GRADERS = { choice, multi_choice: multiChoice, ordering };
const { answer_type: type, vectors } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const others = vectors
  .map((vector) => ({ vector, told: GRADERS[type](vector, vector.response) }))
  .filter(({ vector, told }) => ["outcome", "score", "mistake"].some((name) => vector[name] !== told[name]))
  .map(({ vector, told }) => ({ name: vector.name, told }));
console.log(JSON.stringify({ tried: vectors.length, others }));
