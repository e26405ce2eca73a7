/** Counters of a cache: a bar of what is held, the formula with its numbers, what was saved, what was timed. */
import { el } from "../dom";
import type { Counters } from "./decode-data";
import { type Line, linesOf, timedOf } from "./decode-words";
import type { Facts, Frame } from "./types";
import { count } from "./words";

export class Panel {
  private readonly held = el("i", { class: "decode__held" });
  private readonly meter = el("div", { class: "decode__meter", "aria-hidden": "true" }, this.held);
  private readonly big = el("p", { class: "decode__big" });
  private readonly lines = el("dl", { class: "decode__lines" });
  readonly element = el(
    "section",
    { class: "decode__panel", "aria-label": "The cache in numbers" },
    el("h3", {}, "In the cache"),
    this.big,
    this.meter,
    this.lines,
  );

  /** `most` is what a cache of all tokens will hold at the last step, the length of the whole bar. */
  show(counters: Counters, { facts, frame, most }: { facts: Facts; frame: Frame; most: number }): void {
    const [held, seen] = [counters.held ?? 0, (counters.position ?? -1) + 1];
    const of = held < seen ? ` of ${count(seen)}` : "";
    this.big.replaceChildren(
      el("b", {}, count(counters["bytes held"] ?? 0)),
      ` bytes, ${count(held)}${of} ${seen === 1 ? "token" : "tokens"}`,
    );
    const share = (bytes: number) => `${most > 0 ? Math.min(100, (100 * bytes) / most) : 0}%`;
    this.held.style.inlineSize = share(counters["bytes held"] ?? 0);
    this.meter.style.setProperty("--all", share(counters["bytes without eviction"] ?? 0));
    this.lines.replaceChildren(...[...linesOf(counters, facts), ...timedOf(frame)].flatMap(line));
  }
}

const line = ({ name, value, note }: Line): Node[] => [
  el("dt", {}, name),
  el("dd", {}, el("span", { class: "mono" }, value), note ? el("span", { class: "note" }, note) : null),
];
